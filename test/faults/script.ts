import { z } from "zod";
import { CHANNELS } from "../crash/stage.ts";
import { FAULTS } from "../support/emulators/fault-model.ts";
import { DOINGS } from "./echo-model.ts";

const at = z.number().min(0);

const messageSchema = z.strictObject({
  /** Milliseconds after the beginning. */
  at,
  channel: z.enum(CHANNELS),
  /** Which of the channel's conversations. */
  talk: z.number().int().min(0),
  does: z.enum(DOINGS),
});

const platformFaultSchema = z.strictObject({
  at,
  /** How long it lasts, milliseconds. */
  for: z.number().min(0),
  on: z.enum(CHANNELS),
  fault: z.enum(FAULTS),
  strength: z.number().int().min(1).max(3),
});

/** `kill`: the process dies and is started again at once. `clock_jump`: its own clock runs ahead by so many seconds. */
const programFaultSchema = z.discriminatedUnion("fault", [
  z.strictObject({ at, on: z.literal("program"), fault: z.literal("kill") }),
  z.strictObject({ at, on: z.literal("program"), fault: z.literal("clock_jump"), seconds: z.number().min(0) }),
]);

const faultSchema = z.union([platformFaultSchema, programFaultSchema]);

/** Everything that happens in one trial, and when. */
export const scriptSchema = z.strictObject({
  seed: z.number().int(),
  /** Conversations per channel. */
  talks: z.number().int().min(1),
  messages: z.array(messageSchema),
  faults: z.array(faultSchema),
});

export type FaultScript = z.infer<typeof scriptSchema>;
export type ScriptedMessage = z.infer<typeof messageSchema>;
export type ScriptedFault = z.infer<typeof faultSchema>;
export type PlatformFault = z.infer<typeof platformFaultSchema>;

/** One line for each thing that happens, for people. */
export function spoken({ messages, faults }: FaultScript): readonly string[] {
  const lines = [
    ...messages.map((one, index) => ({
      at: one.at,
      text: `${one.channel} ${one.talk}: ${one.does} (message ${index})`,
    })),
    ...faults.map((one) => ({ at: one.at, text: spokenFault(one) })),
  ];
  return lines.toSorted((a, b) => a.at - b.at).map(({ at: when, text }) => `${String(when).padStart(6)} ms  ${text}`);
}

function spokenFault(fault: ScriptedFault): string {
  if (fault.on !== "program") return `${fault.on}: ${fault.fault} for ${fault.for} ms, strength ${fault.strength}`;
  return fault.fault === "kill" ? "the program is killed" : `the program's clock jumps by ${fault.seconds} s`;
}
