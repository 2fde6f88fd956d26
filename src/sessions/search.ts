import type { AgentId, SessionId } from "../core/ids.ts";
import type { TranscriptMessage } from "../core/message/transcript.ts";
import { searchableText } from "../core/message/transcript.ts";
import type { SessionScope } from "../core/session/session-key.ts";
import { agentOf, type SessionKey } from "../core/session/session-key.ts";
import { excerptAround } from "../core/text/cut.ts";
import type { Redacted } from "../core/text/redact.ts";
import { matchText, type SearchTerm, scoreText } from "../core/text/search-query.ts";
import {
  type Life,
  livesInTree,
  messagesBySeq,
  rankedTexts,
  type SearchPlaces,
  searchHits,
} from "../store/reads/sessions/search.ts";
import type { TargetSession } from "../store/reads/sessions/targets.ts";
import type { Store } from "../store/store.ts";

/** Beyond this many hits they are given newest first: reading them all to rank them would cost more than it tells. */
const MAX_RANKED = 10_000;
/** UTF-16 units. */
const MAX_EXCERPT = 240;
const BATCH = 500;

export interface SearchRequest {
  readonly scope: SessionScope;
  readonly terms: readonly SearchTerm[];
  readonly agentId: AgentId | null;
  /** Only this session: all its lives, or the former one that was named by its id. */
  readonly target: TargetSession | null;
  readonly limit: number;
  readonly redact: (text: string) => Redacted;
}

export interface SearchHit {
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  /** The message's sequence in the store. */
  readonly messageId: number;
  readonly role: TranscriptMessage["role"];
  readonly at: number;
  readonly excerpt: string;
  /** 0 to 1. */
  readonly score: number;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly order: "score" | "newest";
  readonly hasMore: boolean;
  readonly contentRedacted: boolean;
}

/**
 * Messages of visible sessions that hold every term (ST-11). The index only says where to look: what is shown is decided from
 * the text as history shows it, so neither a masked credential nor removed markup can be found by guessing at it. The score
 * knows nothing of other messages, because how rare a word is would tell of sessions that are hidden (VS-2).
 */
export async function searchMessages(store: Store, request: SearchRequest): Promise<SearchResult> {
  const where = await placesOf(store, request);
  if (where === "nowhere") return { hits: [], order: "score", hasMore: false, contentRedacted: false };
  const { terms } = request;
  const limit = MAX_RANKED + 1;
  const seqs = await store.read(searchHits, { terms, places: where.places, limit });
  const order = seqs.length > MAX_RANKED ? "newest" : "score";
  const candidates = order === "newest" ? seqs : await ranked(store, seqs, terms);
  return { ...(await shownOf(store, candidates, { ...request, isVisible: where.isVisible })), order };
}

interface Where {
  readonly places: SearchPlaces | null;
  readonly isVisible: (key: SessionKey) => boolean;
}

async function placesOf(store: Store, request: SearchRequest): Promise<Where | "nowhere"> {
  const { scope, agentId, target } = request;
  if (target !== null) {
    const { key } = target.session;
    if (agentId !== null && agentOf(key) !== agentId) return "nowhere";
    const former = target.sessionId !== target.session.sessionId;
    const lives = former ? [target] : await store.read(livesInTree, { own: key, lineage: false });
    return { places: { agents: [], lives: lives.map((life) => life.sessionId) }, isVisible: (found) => found === key };
  }
  const { agents } = scope;
  if (agents === "all") {
    const places = agentId === null ? null : { agents: [agentId], lives: [] };
    return { places, isVisible: (found) => agentId === null || agentOf(found) === agentId };
  }
  const wanted = agents.filter((agent) => agentId === null || agent === agentId);
  const tree = (await store.read(livesInTree, scope)).filter(
    ({ sessionKey }) => agentId === null || agentOf(sessionKey) === agentId,
  );
  const ownTree = new Set(tree.map((life) => life.sessionKey));
  const beyond = tree.filter(({ sessionKey }: Life) => !wanted.includes(agentOf(sessionKey)));
  if (wanted.length === 0 && beyond.length === 0) return "nowhere";
  return {
    places: { agents: wanted, lives: beyond.map((life) => life.sessionId) },
    isVisible: (found) => wanted.includes(agentOf(found)) || ownTree.has(found),
  };
}

/** Best first; what fits equally well newest first. */
async function ranked(store: Store, seqs: readonly number[], terms: readonly SearchTerm[]): Promise<readonly number[]> {
  const scores = new Map<number, number>();
  for (let at = 0; at < seqs.length; at += BATCH) {
    for (const message of await store.read(rankedTexts, seqs.slice(at, at + BATCH))) {
      const score = scoreText(searchableText(message), terms);
      if (score !== null) scores.set(message.seq, score);
    }
  }
  return [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || b - a);
}

async function shownOf(
  store: Store,
  candidates: readonly number[],
  request: SearchRequest & Pick<Where, "isVisible">,
): Promise<Omit<SearchResult, "order">> {
  const hits: SearchHit[] = [];
  let contentRedacted = false;
  const batch = request.limit + 10;
  for (let at = 0; at < candidates.length; at += batch) {
    const seqs = candidates.slice(at, at + batch);
    const found = await store.read(messagesBySeq, seqs);
    const messages = new Map(found.map((message) => [message.seq, message]));
    for (const seq of seqs) {
      const message = messages.get(seq);
      const shown = message === undefined ? null : hitOf(message, request);
      if (shown === null) continue;
      if (hits.length === request.limit) return { hits, hasMore: true, contentRedacted };
      hits.push(shown.hit);
      contentRedacted ||= shown.redacted;
    }
  }
  return { hits, hasMore: false, contentRedacted };
}

function hitOf(
  message: TranscriptMessage,
  { terms, redact, isVisible }: SearchRequest & Pick<Where, "isVisible">,
): { readonly hit: SearchHit; readonly redacted: boolean } | null {
  if (!isVisible(message.sessionKey)) return null;
  const masked = redact(searchableText(message));
  const match = matchText(masked.text, terms);
  if (match === null) return null;
  const { sessionKey, sessionId, seq: messageId, role, createdAt: at } = message;
  const excerpt = excerptAround(masked.text, match, MAX_EXCERPT);
  return {
    hit: { sessionKey, sessionId, messageId, role, at, excerpt, score: match.score },
    redacted: masked.redacted,
  };
}
