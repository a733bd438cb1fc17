import type { BlockHeader } from "../../protocol/block-header.ts";
import type { Snapshot, State } from "../circuits/layouts/values.ts";

/** What the circuits at both ends of a checkpoint take from the state before it. */
export interface BeforeCheckpoint {
  readonly header: BlockHeader;
  readonly archive: Snapshot;
  /** Path of the archive's last leaf, which is the hash of `header`. */
  readonly archivePath: Uint8Array;
  readonly state: State;
  readonly messageSubtreePath: Uint8Array;
}
