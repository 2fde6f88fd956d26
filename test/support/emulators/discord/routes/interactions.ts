import { ANSWER_MS } from "../interactions.ts";
import { messageView } from "../message-view.ts";
import { change } from "../messages.ts";
import type { InteractionRecord, StoredMessage } from "../records.ts";
import { badRequest, invalidForm, unknownInteraction } from "../refusal.ts";
import { FLAG } from "../wire-types.ts";
import { needsActive } from "./destination.ts";
import type { CallContext, InteractionCallbackBody, OpenHandlers } from "./handler.ts";
import { postAnswer, postLoading } from "./interaction-messages.ts";
import { edited } from "./messages.ts";

const CALLBACK = { pong: 1, message: 4, deferred: 5, deferredUpdate: 6, update: 7, choices: 8, modal: 9 } as const;

/** Which callbacks answer which kind of interaction (Interaction callback type). */
const FITTING: Record<InteractionRecord["kind"], readonly number[]> = {
  command: [CALLBACK.message, CALLBACK.deferred, CALLBACK.modal],
  button: [CALLBACK.message, CALLBACK.deferred, CALLBACK.deferredUpdate, CALLBACK.update, CALLBACK.modal],
  autocomplete: [CALLBACK.choices],
};

function waiting({ world, path }: CallContext): InteractionRecord {
  const record = world.interactions.get(path.interaction_id ?? "");
  if (record === undefined || record.token !== path.interaction_token) throw unknownInteraction();
  if (record.callbackType !== null) throw badRequest(40060, "Interaction has already been acknowledged.");
  if (record.state !== "waiting" || world.clock() - record.createdAt > ANSWER_MS) throw unknownInteraction();
  return record;
}

const MOST_CHOICES = 25;
const LONGEST_CHOICE = 100;

/** What Discord takes of proposals (Application Command Option Choice): at most 25, names and texts of 1 to 100 characters. */
function fittingChoices<T extends { readonly name: string; readonly value: string | number }>(choices: T[]): T[] {
  const wrong = (path: readonly (string | number)[], message: string): never => {
    throw invalidForm({ path: ["data", "choices", ...path.map(String)], code: "BASE_TYPE_BAD_LENGTH", message });
  };
  if (choices.length > MOST_CHOICES) wrong([], `Must be between 0 and ${MOST_CHOICES} in length.`);
  for (const [index, choice] of choices.entries()) {
    for (const key of ["name", "value"] as const) {
      const text = choice[key];
      if (typeof text !== "string") continue;
      if (text === "" || text.length > LONGEST_CHOICE)
        wrong([index, key], `Must be between 1 and ${LONGEST_CHOICE} in length.`);
    }
  }
  return choices;
}

/** Carries out the answer; the message that shows it, if there is one. */
function answered(
  context: CallContext,
  record: InteractionRecord,
  { type, data }: InteractionCallbackBody,
): StoredMessage | null {
  const { world, files } = context;
  const ephemeral = ((data?.flags ?? 0) & FLAG.ephemeral) !== 0;
  switch (type) {
    case CALLBACK.message:
      return postAnswer(context, record, data ?? {}, ephemeral);
    case CALLBACK.deferred:
      return postLoading(context, record, ephemeral);
    case CALLBACK.update: {
      const stored = record.channel.messages.get(record.originalId ?? "");
      if (stored === undefined) throw unknownInteraction();
      needsActive(record.channel);
      change(world, record.channel, stored, edited(world, record.channel, stored, { body: data ?? {}, files }));
      return stored;
    }
    case CALLBACK.choices:
      record.choices = fittingChoices(data?.choices ?? []);
      return null;
    case CALLBACK.modal:
      record.modal = data ?? null;
      return null;
    default:
      return null;
  }
}

function callbackResponse(context: CallContext, record: InteractionRecord, stored: StoredMessage | null): object {
  const seer = { bot: record.bot, content: true };
  const flags = stored?.message.flags ?? 0;
  const shown =
    stored === null
      ? {}
      : {
          response_message_id: stored.message.id,
          response_message_loading: (flags & FLAG.loading) !== 0,
          response_message_ephemeral: stored.onlyFor !== null,
        };
  const resource =
    stored === null
      ? {}
      : {
          resource: {
            type: record.callbackType,
            message: messageView(context.world, record.channel, stored, seer),
          },
        };
  return {
    interaction: { id: record.id, type: { command: 2, button: 3, autocomplete: 4 }[record.kind], ...shown },
    ...resource,
  };
}

export const interactionRoutes: OpenHandlers<"create_interaction_response"> = {
  create_interaction_response: (context, body) => {
    const record = waiting(context);
    if (!FITTING[record.kind].includes(body.type)) {
      throw invalidForm({
        path: ["type"],
        code: "BASE_TYPE_CHOICES",
        message: `Value must be one of {${FITTING[record.kind].join(", ")}}.`,
      });
    }
    const stored = answered(context, record, body);
    record.callbackType = body.type;
    const later: readonly number[] = [CALLBACK.deferred, CALLBACK.deferredUpdate];
    record.state = later.includes(body.type) ? "deferred" : "answered";
    if (stored !== null && body.type !== CALLBACK.update) {
      record.originalId = stored.message.id;
      record.messageIds.push(stored.message.id);
    }
    context.world.signals.changed();
    return context.query.get("with_response") === "true" ? callbackResponse(context, record, stored) : undefined;
  },
};
