import { readNumber } from "./counting.ts";
import { callTools, type DemoReply, type DemoRequest, say } from "./reply.ts";
import { offers, refusal } from "./tool-request.ts";

const THREAD = /\s*\b(?:in|into|inside)\s+(?:a|an|its|their|the)?\s*(?:own|new|separate)?\s*threads?\b/i;
const WAIT = /[\s,;]*\b(?:and|then)\s+(?:then\s+)?(?:wait|yield)\b.*$/is;
const AGENT = /\s*\b(?:as|with|using)\s+agent\s+([a-z0-9_-]+)\b/i;
const LABEL = /\s*\b(?:called|named|labell?ed)\s+["“']?([\w-]+)["”']?/i;

/** True when the person wants the turn to wait for the helpers ("… and wait", "… then yield"). */
export function wantsToWait(text: string): boolean {
  return WAIT.test(text);
}

/** `spawn <count> helper(s) <rest>`: one `sessions_spawn` per helper. */
export function spawnRequest(count: string, rest: string, request: DemoRequest): DemoReply {
  if (!offers(request, "sessions_spawn")) return refusal("sessions_spawn");
  const thread = THREAD.test(rest);
  const agentId = AGENT.exec(rest)?.[1] ?? null;
  const label = LABEL.exec(rest)?.[1] ?? null;
  const task = rest
    .replace(WAIT, "")
    .replace(THREAD, "")
    .replace(AGENT, "")
    .replace(LABEL, "")
    .replace(/^[\s,:]*(?:to|that|who|which|and let it)?\b[\s:]*/i, "")
    .trim()
    .replace(/\.$/, "");
  if (task === "")
    return say("What should the helper do? Write for example: spawn a helper to count to three and report");
  const helpers = /^an?$/i.test(count) ? 1 : Math.min(readNumber(count), 5);
  const name = label ?? labelOf(task);
  return callTools(
    Array.from({ length: helpers }, (_unused, at) => ({
      name: "sessions_spawn",
      args: {
        task,
        label: helpers === 1 ? name : `${name} ${at + 1}`,
        ...(thread ? { thread: true } : {}),
        ...(agentId === null ? {} : { agentId }),
      },
    })),
  );
}

/** The task's first words, without the "and report" that people add. */
function labelOf(task: string): string {
  const words = task.replace(/\s+and\s+(?:then\s+)?report\b.*$/is, "").split(/\s+/);
  return words.slice(0, 5).join(" ").slice(0, 40);
}
