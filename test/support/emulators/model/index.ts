export { type ModelEmulator, type ModelEmulatorOptions, startModelEmulator } from "./emulator.ts";
export { faults } from "./faults.ts";
export { type ChatMessage, type ChatRequest, lastText, lastToolResults, messageText } from "./request-check.ts";
export {
  answer,
  call,
  delay,
  type Gate,
  gate,
  type ModelReply,
  type ModelScript,
  type ReplyFunction,
  type ReplyStep,
  rawToolCall,
  reasoning,
  say,
  text,
  toolCall,
  withFinish,
  withUsage,
} from "./script.ts";
