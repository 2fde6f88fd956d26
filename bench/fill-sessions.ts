import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";
import type { Provenance } from "../src/core/message/transcript.ts";
import { indexedWords } from "../src/core/message/transcript.ts";

export interface FilledStore {
  /** Sessions of one agent's conversations, the newest first. */
  readonly chats: readonly { readonly key: string; readonly sessionId: string }[];
  /** The root of the deep tree. */
  readonly root: string;
  /** The life that holds the long transcript. */
  readonly longTranscript: { readonly key: string; readonly sessionId: string };
}

interface Node {
  readonly key: string;
  readonly ancestors: readonly string[];
}

const AT = Date.UTC(2026, 0, 1);
const WORDS = ["invoice", "release", "garden", "harbour", "planet", "ticket", "summary", "review", "launch", "archive"];

/**
 * Fills a store's tables directly, in one transaction: `sessions` sessions, of which `descendants` hang in a tree five
 * levels deep under one chat, and `messages` messages, a tenth of them in one transcript.
 */
export function fillStore(
  file: string,
  size: { readonly sessions: number; readonly descendants: number; readonly messages: number },
): FilledStore {
  const database = new Database(file);
  database.pragma("synchronous = off");
  const insertSession = database.prepare(
    `insert into sessions (key, session_id, agent_id, kind, channel, label, search_text, show_reasoning, show_tools, usage_line, spawned_by, depth,
       pinned, archived_at, origin_route_json, last_route_json, state_version, watched, input_tokens, output_tokens, cached_tokens,
       context_tokens, created_at, updated_at, reset_due)
     values (?, ?, 'main', ?, ?, ?, ?, 0, 0, 'off', ?, ?, 0, ?, ?, ?, ?, 0, 1000, 200, 0, 1200, ?, ?, 0)`,
  );
  const insertLife = database.prepare(
    "insert into session_ids (session_id, session_key, started_at, cause) values (?, ?, ?, ?)",
  );
  const insertLineage = database.prepare("insert into session_lineage values (?, ?)");
  const insertMessage = database.prepare(
    `insert into messages (session_id, session_key, turn_id, role, parts_json, provenance_json, usage_json, created_at)
     values (?, ?, null, ?, ?, ?, null, ?)`,
  );
  const insertWords = database.prepare("insert into message_words (seq, words) values (?, ?)");
  const chats: { key: string; sessionId: string }[] = [];
  const add = (index: number, key: string, parent: Node | null): string => {
    const sessionId = randomUUID();
    const label = `${WORDS[index % WORDS.length]} ${index}`;
    const route =
      parent === null
        ? JSON.stringify({ channel: "discord", accountId: "default", to: `${index}`, threadId: null })
        : null;
    const at = AT + ((index * 7_919) % size.sessions) * 1_000;
    insertSession.run(
      key,
      sessionId,
      parent === null ? "group" : "other",
      parent === null ? "discord" : null,
      label,
      `${key}\n${label}\n`.toLowerCase(),
      parent?.key ?? null,
      parent === null ? 0 : parent.ancestors.length + 1,
      index % 10 === 9 && parent === null ? at : null,
      route,
      route,
      index,
      at,
      at,
    );
    insertLife.run(sessionId, key, at, `created:${key}`);
    return sessionId;
  };
  database.transaction(() => {
    for (let index = 0; index < size.sessions - size.descendants; index += 1) {
      const key = `agent:main:discord:channel:${100_000_000 + index}`;
      chats.push({ key, sessionId: add(index, key, null) });
    }
    // Eight children each, level by level: 10,000 make five levels.
    const level: Node[] = [{ key: chats[0]?.key ?? "", ancestors: [] }];
    for (let index = 0; index < size.descendants; index += 1) {
      const parent = level[Math.floor(index / 8)];
      if (parent === undefined) break;
      const node = { key: `agent:main:subagent:${randomUUID()}`, ancestors: [...parent.ancestors, parent.key] };
      add(size.sessions - size.descendants + index, node.key, parent);
      for (const ancestor of node.ancestors) insertLineage.run(ancestor, node.key);
      level.push(node);
    }
    const sender = { channel: "discord", accountId: "default", id: "1" };
    const user: Provenance = { kind: "human", sender, senderName: "Ann", messageId: null };
    const assistant: Provenance = { kind: "assistant", agentId: "main", model: "demo/switchyard" };
    for (let index = 0; index < size.messages; index += 1) {
      const chat = index % 10 === 0 ? chats[1] : chats[(index * 31) % Math.min(chats.length, 2_000)];
      const role = Math.floor(index / 10) % 2 === 0 ? "user" : "assistant";
      const provenance = role === "user" ? user : assistant;
      const rare = `${index % 1_000 === 0 ? "rare" : ""} ${index % 110 === 0 ? "seldom" : ""}`;
      const text = `${role === "user" ? "Question" : "Answer"} ${index}: ${WORDS.join(" ")} ${rare} ${"lorem ipsum dolor sit amet ".repeat(8)}`;
      const parts = [{ type: "text" as const, text }];
      const owner = { sessionId: chat?.sessionId ?? "", agentId: "main" };
      const { lastInsertRowid } = insertMessage.run(
        owner.sessionId,
        chat?.key ?? "",
        role,
        JSON.stringify(parts),
        JSON.stringify(provenance),
        AT + index,
      );
      insertWords.run(lastInsertRowid, indexedWords({ role, parts, provenance }, owner));
    }
  })();
  database.close();
  return {
    chats,
    root: chats[0]?.key ?? "",
    longTranscript: { key: chats[1]?.key ?? "", sessionId: chats[1]?.sessionId ?? "" },
  };
}
