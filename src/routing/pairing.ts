import { randomInt } from "node:crypto";
import type { ChannelId } from "../core/ids.ts";

/** One hour, in milliseconds (IN-5). */
export const PAIRING_LIFE_MS = 3_600_000;
/** Requests that may wait per channel account (IN-5). */
export const PAIRING_MAX_WAITING = 3;
/** Letters and digits that are not mistaken for each other: without 0, O, 1 and I. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 8;

/** A pairing code: 8 characters, about 40 bits. `pick(n)` gives a whole number below n. */
export function pairingCode(pick: (below: number) => number = (below) => randomInt(below)): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[pick(ALPHABET.length)]).join("");
}

/** The command that lets a person in; `cli`: how the command line is run. */
export function approveCommand(cli: string, channel: ChannelId, code: string): string {
  return `${cli} pairing approve ${channel} ${code}`;
}

/** What a person may type for a code: any case, spaces and hyphens between. */
export function foldPairingCode(typed: string): string {
  return typed.replace(/[\s-]/g, "").toUpperCase();
}
