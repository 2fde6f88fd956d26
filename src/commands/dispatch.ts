import type { Renderer } from "../channel/capabilities.ts";
import type { NewDelivery } from "../core/delivery.ts";
import { BridgeError } from "../core/errors.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { CommandPayload, InboxItem } from "../core/inbox-item.ts";
import { roleAtLeast } from "../core/rights.ts";
import { createRedactor } from "../core/text/redact.ts";
import type { StoredAttachment } from "../core/transcript.ts";
import { PLAIN_RENDERER } from "../delivery/plain-renderer.ts";
import { answerDeliveries, prepareAnswer } from "../delivery/way-out.ts";
import { inboxItem } from "../store/reads/inbox-item.ts";
import { settleCommand } from "../store/steps/settle-command.ts";
import type { TaskHandler } from "../work/work-queue.ts";
import type { CommandAnswer, CommandDefinition, CommandServices } from "./command.ts";
import { parseArguments } from "./parse-arguments.ts";

export interface DispatchDeps extends Omit<CommandServices, "settings"> {
  readonly settings: () => CommandServices["settings"];
  readonly commands: readonly CommandDefinition[];
  renderer(channel: ChannelId, accountId: AccountId): Renderer | null;
  readonly storeFile: (file: { name: string; mime: string; bytes: Uint8Array }) => Promise<StoredAttachment>;
}

/**
 * The task `command`; the key is the input's. Commands have a lane of their own and never wait behind a turn (CM-4). The
 * row is the source: after a crash it is carried out again, and everything a command does is keyed by it.
 */
export function createDispatch(deps: DispatchDeps): TaskHandler {
  const byName = new Map(deps.commands.map((command) => [command.name, command]));
  return async (key) => {
    const item = await deps.store.read(inboxItem, key);
    if (item === null || item.payload.kind !== "command" || item.state === "consumed" || item.state === "withdrawn")
      return;
    const startedAt = deps.clock.now();
    const command = byName.get(item.payload.name);
    const answer = command === undefined ? null : await carryOut(command, item, item.payload, deps);
    const deliveries = answer === null ? [] : await deliveriesOf(answer, item, deps);
    await deps.store.step(settleCommand, { key, sessionKey: item.sessionKey, deliveries });
    const ms = deps.clock.now() - startedAt;
    deps.log.info(
      { command: item.payload.name, event: item.cause, session: item.sessionKey, answered: answer !== null, ms },
      "command",
    );
  };
}

/** null: nothing is answered (a sender without the right, writing in a group; CM-5). */
async function carryOut(
  command: CommandDefinition,
  item: InboxItem,
  payload: CommandPayload,
  deps: DispatchDeps,
): Promise<CommandAnswer | null> {
  const refusal = refusalOf(command, item, payload);
  if (refusal !== null) return payload.native || payload.direct ? { text: refusal, private: true } : null;
  const { route } = item;
  if (route === null) return null;
  const parsed = parseArguments(command, payload.args);
  if (!parsed.ok) return { text: parsed.problem, private: true };
  try {
    return await command.execute(parsed.args, {
      services: { ...deps, settings: deps.settings() },
      sessionKey: item.sessionKey,
      route,
      rights: item.rights,
      sender: { id: payload.senderId, name: payload.senderName },
      inGroup: !payload.direct,
      cause: item.key,
    });
  } catch (error) {
    if (error instanceof BridgeError && error.forPerson !== null) return { text: error.forPerson, private: true };
    deps.log.error({ err: error, command: command.name }, "a command failed");
    return { text: `/${command.name} failed; the log has the details.`, private: true };
  }
}

function refusalOf(command: CommandDefinition, item: InboxItem, payload: CommandPayload): string | null {
  if (payload.denied !== null) return "You may not use commands here.";
  if (roleAtLeast(item.rights.role, command.role)) return null;
  const list = command.role === "owner" ? "commands.ownerAllowFrom" : "commands.adminAllowFrom";
  return `/${command.name} is for ${command.role}s; you are not in ${list}.`;
}

async function deliveriesOf(
  answer: CommandAnswer,
  item: InboxItem,
  deps: DispatchDeps,
): Promise<readonly NewDelivery[]> {
  const { route, payload } = item;
  if (route === null || payload.kind !== "command") return [];
  const redact = createRedactor(deps.settings().secrets);
  const prepared = prepareAnswer({
    text: redact(answer.text).text,
    renderer: deps.renderer(route.channel, route.accountId) ?? PLAIN_RENDERER,
    maxChunks: deps.settings().delivery.maxChunks,
  });
  return answerDeliveries(prepared, {
    route,
    keyAt: (position) => `command:${item.key}:${position}`,
    replyTo: payload.native ? null : payload.messageId,
    replyToMode: "first",
    private: answer.private === true,
    storeFile: deps.storeFile,
  });
}
