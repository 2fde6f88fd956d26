import type { Renderer } from "../channel/capabilities.ts";
import { COMMAND_ANSWER, type NewDelivery, type Route } from "../core/delivery/delivery.ts";
import { BridgeError, StoreError, ToolError } from "../core/errors.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { CommandPayload, InboxItem } from "../core/message/inbox-item.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import { mistypedNames } from "../core/nearest.ts";
import type { PresentAccess, PresentAccessOf } from "../core/session/present-access.ts";
import { roleAtLeast } from "../core/session/rights.ts";
import { asSessionKey } from "../core/session/session-key.ts";
import { createRedactor } from "../core/text/redact.ts";
import { commandTexts } from "../core/texts/commands/frame.ts";
import { refusedSince } from "../core/texts/rules.ts";
import { PLAIN_RENDERER } from "../delivery/pacing.ts";
import { answerDeliveries, askedWithoutSlot, prepareAnswer } from "../delivery/way-out.ts";
import { waitingCommands } from "../store/reads/inbound/inbox.ts";
import { commandAccess } from "../store/reads/inbound/present-access.ts";
import { settleCommand } from "../store/steps/inbound/settle-command.ts";
import type { TaskHandler, WorkQueue } from "../work/work-queue.ts";
import {
  AFTER_RESTART,
  type CommandAnswer,
  type CommandArgument,
  type CommandDefinition,
  type CommandServices,
  takeWord,
  usage,
} from "./command.ts";
import { commandNames } from "./registry.ts";

export interface DispatchDeps extends Omit<CommandServices, "settings"> {
  readonly settings: () => CommandServices["settings"];
  readonly commands: readonly CommandDefinition[];
  /** The access rules, for commands that have waited (IN-18). */
  readonly presentAccess: PresentAccessOf;
  renderer(channel: ChannelId, accountId: AccountId): Renderer | null;
  readonly work: Pick<WorkQueue, "enqueue">;
  readonly storeFile: (file: { name: string; mime: string; bytes: Uint8Array }) => Promise<StoredAttachment>;
}

/** The handlers of the tasks `command` and `long-command`; the key of both is a session's. */
export interface Dispatch {
  readonly handle: TaskHandler;
  readonly handleLong: TaskHandler;
}

/**
 * Commands have their own lanes: they never wait behind a turn, and those of one session run in the order they
 * were given (CM-4). One that waits for a model is long: it holds up only those like it. The row is the source: after a crash
 * it runs again, and everything a command does is keyed by it.
 */
export function createDispatch(deps: DispatchDeps): Dispatch {
  const byName = new Map(deps.commands.map((command) => [command.name, command]));
  const commandOf = ({ payload }: InboxItem): CommandDefinition | undefined =>
    payload.kind === "command" ? byName.get(payload.name) : undefined;

  const lane =
    (long: boolean): TaskHandler =>
    async (key, slot, signal) => {
      const sessionKey = asSessionKey(key);
      if (sessionKey === null) return;
      const own = { ...deps, threads: askedWithoutSlot(deps.threads, slot) };
      for (;;) {
        const waiting = await deps.store.read(waitingCommands, sessionKey);
        const isMine = (item: InboxItem): boolean => (commandOf(item)?.long === true) === long;
        // A running lane looks again when it has finished.
        if (!long && !waiting.every(isMine)) deps.work.enqueue("long-command", sessionKey);
        const item = waiting.find(isMine);
        if (item === undefined || item.payload.kind !== "command") return;
        const done = await dispatchOne(item, item.payload, { command: commandOf(item), deps: own, signal });
        if (!done) return;
      }
    };
  return { handle: lane(false), handleLong: lane(true) };
}

interface Given {
  readonly command: CommandDefinition | undefined;
  readonly deps: DispatchDeps;
  readonly signal: AbortSignal;
}

/** False: the command and those behind it wait for the next start. */
async function dispatchOne(item: InboxItem, payload: CommandPayload, given: Given): Promise<boolean> {
  const { command, deps, signal } = given;
  const { key, sessionKey, cause } = item;
  const startedAt = deps.clock.now();
  const presentAccess = await deps.store.read(commandAccess, { item, presentAccess: deps.presentAccess });
  const answer = presentAccess.admitted
    ? await answerOf(item, payload, { ...given, presentAccess })
    : notAdmitted(payload);
  if (answer === AFTER_RESTART || (signal.aborted && command?.long === true)) return false;
  const deliveries = answer === null ? [] : await deliveriesOf(answer, item, deps);
  const refused = presentAccess.admitted ? null : refusedSince(presentAccess.rule);
  await deps.store.step(settleCommand, { key, sessionKey, deliveries, refused, words: answer?.words ?? "" });
  const ms = deps.clock.now() - startedAt;
  deps.log.info(
    { command: payload.name, event: cause, session: sessionKey, answered: deliveries.length > 0, ms },
    "command",
  );
  return true;
}

/** With the role that its sender has now (IN-18). */
async function answerOf(
  item: InboxItem,
  payload: CommandPayload,
  {
    command,
    presentAccess,
    ...given
  }: Given & { readonly presentAccess: Extract<PresentAccess, { readonly admitted: true }> },
): Promise<CommandAnswer | typeof AFTER_RESTART | null> {
  if (command === undefined) return unknownCommand(payload, given.deps.commands);
  const rights = { ...item.rights, role: presentAccess.role };
  const denied = presentAccess.commandsDenied ?? payload.denied;
  return runCommand({ ...given, command, item: { ...item, rights }, payload: { ...payload, denied } });
}

/** Answers a call that the platform waits for. A message gets no answer (IN-6). */
function notAdmitted({ native }: CommandPayload): CommandAnswer | null {
  return native ? { text: commandTexts.notAllowed, private: true } : null;
}

/** A slip of a name (FC-337); where one native command takes all the others as its argument, any name can be typed (FC-062). */
function unknownCommand({ native, name }: CommandPayload, commands: readonly CommandDefinition[]): CommandAnswer {
  const close = mistypedNames(name, [...commandNames(commands).keys()]);
  const text = native || close.length === 0 ? commandTexts.unknown(name, close) : commandTexts.mistyped(name, close);
  return { text, private: true };
}

/** null: nothing is answered (a sender without the right, writing in a group; CM-5). */
async function runCommand({
  command,
  item,
  payload,
  deps,
  signal,
}: Given & {
  readonly command: CommandDefinition;
  readonly item: InboxItem;
  readonly payload: CommandPayload;
}): Promise<CommandAnswer | typeof AFTER_RESTART | null> {
  // In a group, a text command without the right to it gets no answer (CM-5).
  const refuse = (text: string): CommandAnswer | null =>
    payload.native || payload.direct ? { text, private: true } : null;
  const refusal = refusalOf(command, item, payload);
  if (refusal !== null) return refuse(refusal);
  const { route } = item;
  if (route === null) return null;
  const parsed = parseArguments(command, payload.args);
  if (!parsed.ok) return { text: parsed.problem, private: true };
  try {
    const answer = await command.execute(parsed.args, {
      services: { ...deps, settings: deps.settings() },
      sessionKey: item.sessionKey,
      route,
      rights: item.rights,
      sender: { id: payload.senderId, name: payload.senderName },
      inGroup: !payload.direct,
      inPrivate: payload.direct || payload.interactionId !== null,
      messageId: payload.messageId,
      repliesTo: payload.repliesTo ?? null,
      cause: item.key,
      seq: item.seq,
      givenAt: item.createdAt,
      signal,
    });
    if (answer === AFTER_RESTART) return answer;
    if (answer.refused === true) return refuse(answer.text);
    return parsed.words === "" ? answer : { ...answer, words: parsed.words };
  } catch (error) {
    // The row stays, and the lane tries again.
    if (error instanceof StoreError && error.retryable) throw error;
    if (error instanceof ToolError) return { text: sentence(error), private: true };
    if (error instanceof BridgeError && error.forPerson !== null) return { text: error.forPerson, private: true };
    deps.log.error({ err: error, command: command.name }, "a command failed");
    return { text: commandTexts.failed(command.name), private: true };
  }
}

function refusalOf(command: CommandDefinition, item: InboxItem, payload: CommandPayload): string | null {
  if (payload.denied !== null) return commandTexts.notAllowed;
  if (command.role === "user" || roleAtLeast(item.rights.role, command.role)) return null;
  return commandTexts.onlyFor(command.role, command.name);
}

/** What a tool would tell a model, for a person: the same words as one or two sentences. */
function sentence({ message, hint }: ToolError): string {
  const said = hint === null ? [message] : [message, hint];
  return said
    .map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`)
    .join(" ");
}

async function deliveriesOf(
  answer: CommandAnswer,
  item: InboxItem,
  deps: DispatchDeps,
): Promise<readonly NewDelivery[]> {
  const { route, payload } = item;
  if (route === null || payload.kind !== "command") return [];
  try {
    return await answerDeliveriesOf(answer, { item, payload, route }, deps);
  } catch (error) {
    // What the command did stands; an answer that cannot be shown must not keep the lane and the session's turns waiting.
    deps.log.error({ err: error, command: payload.name }, "a command's answer could not be shown");
    const text = commandTexts.answerLost(payload.name);
    return answerDeliveriesOf({ text, private: true }, { item, payload, route }, deps);
  }
}

async function answerDeliveriesOf(
  answer: CommandAnswer,
  { item, payload, route }: { readonly item: InboxItem; readonly payload: CommandPayload; readonly route: Route },
  deps: DispatchDeps,
): Promise<readonly NewDelivery[]> {
  const redact = createRedactor(deps.settings().secrets);
  const prepared = prepareAnswer({
    text: redact(answer.text).text,
    renderer: deps.renderer(route.channel, route.accountId) ?? PLAIN_RENDERER,
    maxChunks: deps.settings().delivery.maxChunks,
  });
  const text = await answerDeliveries(prepared, {
    route,
    keyAt: (position) => `${COMMAND_ANSWER}${item.key}:${position}`,
    replyTo: payload.native ? null : payload.messageId,
    replyToMode: "first",
    private: answer.private === true,
    interactionId: payload.interactionId,
    storeFile: deps.storeFile,
  });
  if (answer.file === undefined) return text;
  const content = { kind: "file" as const, file: await deps.storeFile(answer.file), caption: "", replyTo: null };
  return [...text, { key: `${COMMAND_ANSWER}${item.key}:file`, route, content }];
}

export type ParsedArguments =
  /** `words`: what stands behind a command that takes no arguments. They are for the agent, after the command (FC-211). */
  | { readonly ok: true; readonly args: unknown; readonly words: string }
  /** One short line that says what is wrong and how the command is used. */
  | { readonly ok: false; readonly problem: string };

/** Words in order; quotes keep words together; a `rest` argument takes what is left exactly as it stands (CM-1). */
export function parseArguments(command: CommandDefinition, text: string): ParsedArguments {
  const values: Record<string, string> = {};
  let left = text.trim();
  for (const argument of command.arguments) {
    if (left === "") break;
    if (argument.rest === true) {
      values[argument.name] = left;
      left = "";
      break;
    }
    const [word, after] = takeWord(left);
    values[argument.name] = word;
    left = after;
  }
  const missing = command.arguments.find(
    (argument) => argument.required === true && values[argument.name] === undefined,
  );
  if (missing !== undefined) return { ok: false, problem: commandTexts.missing(missing.name, usage(command)) };
  const odd = command.arguments.find((argument) => !isChoice(argument, values[argument.name]));
  if (odd !== undefined) return { ok: false, problem: commandTexts.oneOf(odd.name, odd.choices ?? []) };
  const words = command.arguments.length === 0 ? left : "";
  if (left !== words) return { ok: false, problem: commandTexts.unexpected(left.slice(0, 40), usage(command)) };
  const parsed = command.input.safeParse(values);
  if (parsed.success) return { ok: true, args: parsed.data, words };
  const [issue] = parsed.error.issues;
  return {
    ok: false,
    problem: commandTexts.invalid(
      issue?.path.join(".") ?? commandTexts.argument,
      issue?.message ?? commandTexts.notUnderstood,
      usage(command),
    ),
  };
}

function isChoice({ choices }: CommandArgument, value: string | undefined): boolean {
  return choices === undefined || value === undefined || choices.includes(value);
}
