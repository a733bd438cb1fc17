import { createHash } from "node:crypto";

/** Protocol version string of the subject; the attacker is told it at its start. */
export const VERSION = process.env.ATTACKED_VERSION ?? "00-31337-603bb2c0-7-2672340d-1dd2644a";

/** The node under attack. */
export interface SubjectFacts {
  /** TCP port on 127.0.0.1. */
  port: number;
  /** Peer id as text. */
  id: string;
  /** Protocol version string. */
  version: string;
}

/** Transactions that the subject serves to peers. */
export const SERVED_TXS = 24;

/** Hash of the subject's transaction number `i`: a field element. */
export function servedHash(i: number): Buffer {
  return Buffer.concat([Buffer.alloc(1), createHash("sha256").update(`tx ${i}`).digest().subarray(1)]);
}
