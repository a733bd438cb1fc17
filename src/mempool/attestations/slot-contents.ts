import { mapKey } from "../../protocol/bytes.ts";
import type { ConsensusRows } from "./consensus-rows.ts";

/** What the pool has of one slot. */
export class SlotContents {
  /** Archive roots of block proposals, and their number by index within the checkpoint. */
  readonly blocks = new Set<string>();
  readonly blocksAtIndex = new Map<number, number>();
  /** Checkpoint proposals by archive root. */
  readonly checkpoints = new Map<string, Uint8Array>();
  /** Archive root and attester of attestations. */
  readonly attestations = new Set<string>();
  /** Attestations that others sent, by attester. */
  readonly attestationsOf = new Map<string, number>();
  /** Bytes of block proposals. */
  blockBytes = 0;

  static load(rows: ConsensusRows, slot: number): SlotContents {
    const contents = new SlotContents();
    for (const { index, archive, bytes } of rows.blocks(slot)) contents.addBlock(index, archive, bytes.length);
    for (const { archive, bytes } of rows.checkpoints(slot)) contents.checkpoints.set(mapKey(archive), bytes);
    for (const { archive, attester, own } of rows.attestations(slot)) contents.addAttestation(archive, attester, own);
    return contents;
  }

  addBlock(index: number, archive: Uint8Array, bytes: number): void {
    this.blocks.add(mapKey(archive));
    this.blocksAtIndex.set(index, (this.blocksAtIndex.get(index) ?? 0) + 1);
    this.blockBytes += bytes;
  }

  addAttestation(archive: Uint8Array, attester: Uint8Array, own: boolean): void {
    this.attestations.add(mapKey(archive) + mapKey(attester));
    if (own) return;
    const key = mapKey(attester);
    this.attestationsOf.set(key, (this.attestationsOf.get(key) ?? 0) + 1);
  }
}
