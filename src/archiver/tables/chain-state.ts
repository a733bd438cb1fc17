import type { L1Block } from "../../l1/types.ts";
import { readU32, readUint, writeUint } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { InvalidProposal } from "./invalid-proposal.ts";
import { decodeInvalidProposal, encodeInvalidProposal } from "./invalid-proposal.ts";
import { numberKey } from "./keys.ts";

/** An L1 block that marks how far something was read. */
export type L1Position = Pick<L1Block, "number" | "hash">;

/**
 * One row per name:
 *
 *   checkpoint-sync, message-sync   L1 block u48 | hash 32
 *   processed                       L1 block u48 | hash 32 | timestamp u48: the last one fully processed
 *   proven, finalized               checkpoint u32
 *   invalid                         see invalid-proposal.ts; no row while the pending chain on L1 is valid
 */
const KEY = Object.fromEntries(
  (["checkpoint-sync", "message-sync", "processed", "proven", "finalized", "invalid"] as const).map((name) => [
    name,
    new TextEncoder().encode(name),
  ]),
) as Record<"checkpoint-sync" | "message-sync" | "processed" | "proven" | "finalized" | "invalid", Uint8Array>;

export class ChainState {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-state");
  }

  syncPoint(of: "checkpoint-sync" | "message-sync"): L1Position | undefined {
    const bytes = this.#table.get(KEY[of]);
    return bytes && { number: readUint(bytes, 0, 6), hash: bytes.subarray(6, 38) };
  }

  putSyncPoint(of: "checkpoint-sync" | "message-sync", position: L1Position): void {
    const bytes = new Uint8Array(38);
    writeUint(bytes, 0, 6, position.number);
    bytes.set(position.hash, 6);
    this.#table.put(KEY[of], bytes);
  }

  processed(): L1Block | undefined {
    const bytes = this.#table.get(KEY.processed);
    return bytes && { number: readUint(bytes, 0, 6), hash: bytes.subarray(6, 38), timestamp: readUint(bytes, 38, 6) };
  }

  putProcessed(block: L1Block): void {
    const bytes = new Uint8Array(44);
    writeUint(bytes, 0, 6, block.number);
    bytes.set(block.hash, 6);
    writeUint(bytes, 38, 6, block.timestamp);
    this.#table.put(KEY.processed, bytes);
  }

  /** As last read from L1; may be above the stored checkpoints. */
  checkpoint(of: "proven" | "finalized"): number {
    const bytes = this.#table.get(KEY[of]);
    return bytes === undefined ? 0 : readU32(bytes, 0);
  }

  putCheckpoint(of: "proven" | "finalized", number: number): void {
    if (number === 0) this.#table.remove(KEY[of]);
    else this.#table.put(KEY[of], numberKey(number));
  }

  invalidProposal(): InvalidProposal | undefined {
    const bytes = this.#table.get(KEY.invalid);
    return bytes && decodeInvalidProposal(bytes);
  }

  putInvalidProposal(proposal: InvalidProposal | undefined): void {
    if (proposal === undefined) this.#table.remove(KEY.invalid);
    else this.#table.put(KEY.invalid, encodeInvalidProposal(proposal));
  }
}
