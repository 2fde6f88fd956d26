import type { Route } from "../../../core/delivery/delivery.ts";
import { StoreError } from "../../../core/errors.ts";
import type { QueueOverride } from "../../../core/message/turn-inputs.ts";
import { assertNever } from "../../../core/runtime.ts";
import type { SendPolicyAction, ThinkingLevel, UsageLine } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { titleConversation } from "../../parts/conversation-title.ts";
import { searchText } from "../../parts/sessions.ts";
import { defineStep } from "../../store.ts";

/** What people and agents may set for one session; null: back to what the agent says. It survives resets. */
export type SessionSetting =
  /** `provider/model` (ST-30, ST-31: this session only). */
  | { readonly name: "model"; readonly value: string | null }
  | { readonly name: "thinking"; readonly value: ThinkingLevel | null }
  | { readonly name: "sendPolicy"; readonly value: SendPolicyAction | null }
  /** TN-3; null: as configured. */
  | { readonly name: "queue"; readonly value: QueueOverride | null }
  | { readonly name: "reasoning" | "verbose" | "pinned"; readonly value: boolean }
  | { readonly name: "usage"; readonly value: UsageLine }
  /** An archived one is hidden in lists until someone writes to it again; archiving twice keeps the first time. */
  | { readonly name: "archived"; readonly value: boolean }
  | { readonly name: "displayName"; readonly value: string | null };

/** Sets one setting of a session; the same again changes nothing. Rejects with a StoreError when there is no such session. */
export const setSessionSetting = defineStep(
  "set-session-setting",
  "normal",
  async (context, input: { readonly key: SessionKey; readonly setting: SessionSetting }): Promise<void> => {
    const { db, now } = context;
    const { key, setting } = input;
    const session = await db
      .selectFrom("sessions")
      .select(["key", "label", "archived_at", "last_route_json"])
      .where("key", "=", key)
      .executeTakeFirst();
    if (session === undefined) throw new StoreError("no_session", `no session ${key}`, { retryable: false });
    await db
      .updateTable("sessions")
      .set({ updated_at: now, ...columnsOf(setting, session, now) })
      .where("key", "=", key)
      .execute();
    if (setting.name !== "displayName" || setting.value === null || session.last_route_json === null) return;
    // On the chat page the conversation carries the name, too (FC-338).
    await titleConversation(context, JSON.parse(session.last_route_json) as Route, setting.value);
  },
);

interface Stored {
  readonly key: string;
  readonly label: string | null;
  readonly archived_at: number | null;
}

function columnsOf(setting: SessionSetting, session: Stored, now: number) {
  switch (setting.name) {
    case "model":
      return { model_override: setting.value };
    case "thinking":
      return { thinking: setting.value };
    case "sendPolicy":
      return { send_policy: setting.value };
    case "reasoning":
      return { show_reasoning: setting.value ? 1 : 0 };
    case "queue":
      return { queue_json: setting.value === null ? null : JSON.stringify(setting.value) };
    case "verbose":
      return { show_tools: setting.value ? 1 : 0 };
    case "usage":
      return { usage_line: setting.value };
    case "pinned":
      return { pinned: setting.value ? 1 : 0 };
    case "archived":
      return { archived_at: setting.value ? (session.archived_at ?? now) : null };
    case "displayName":
      return { display_name: setting.value, search_text: searchText({ ...session, displayName: setting.value }) };
    default:
      return assertNever(setting);
  }
}
