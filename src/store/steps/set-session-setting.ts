import { StoreError } from "../../core/errors.ts";
import type { QueueOverride } from "../../core/queue.ts";
import { assertNever } from "../../core/runtime.ts";
import type { ThinkingLevel } from "../../core/session.ts";
import type { SessionKey } from "../../core/session-key.ts";
import { defineStep } from "../store.ts";
import { searchText } from "./ensure-session.ts";

/** What people and agents may set for one session; null: back to what the agent says. It survives resets. */
export type SessionSetting =
  /** `provider/model` (ST-30, ST-31: this session only). */
  | { readonly name: "model"; readonly value: string | null }
  | { readonly name: "thinking"; readonly value: ThinkingLevel | null }
  | { readonly name: "reasoning"; readonly value: boolean }
  /** TN-3; null: as configured. */
  | { readonly name: "queue"; readonly value: QueueOverride | null }
  | { readonly name: "displayName"; readonly value: string | null };

/** Sets one setting of a session; the same again changes nothing. Rejects with a StoreError when there is no such session. */
export const setSessionSetting = defineStep(
  "set-session-setting",
  "normal",
  async ({ db, now }, input: { readonly key: SessionKey; readonly setting: SessionSetting }): Promise<void> => {
    const { key, setting } = input;
    const session = await db.selectFrom("sessions").select(["key", "label"]).where("key", "=", key).executeTakeFirst();
    if (session === undefined) throw new StoreError("no_session", `no session ${key}`, { retryable: false });
    await db
      .updateTable("sessions")
      .set({ updated_at: now, ...columnsOf(setting, session) })
      .where("key", "=", key)
      .execute();
  },
);

function columnsOf(setting: SessionSetting, session: { readonly key: string; readonly label: string | null }) {
  switch (setting.name) {
    case "model":
      return { model_override: setting.value };
    case "thinking":
      return { thinking: setting.value };
    case "reasoning":
      return { show_reasoning: setting.value ? 1 : 0 };
    case "queue":
      return { queue_json: setting.value === null ? null : JSON.stringify(setting.value) };
    case "displayName":
      return { display_name: setting.value, search_text: searchText({ ...session, displayName: setting.value }) };
    default:
      return assertNever(setting);
  }
}
