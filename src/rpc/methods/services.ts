import type { ChainReader } from "../../archiver/types.ts";
import type { Core } from "../../core/core.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { WorldStateReader } from "../../world-state/types.ts";

export interface NodeStatus {
  /** Whether the node takes transactions. */
  ready(): boolean;
  /** Version of the network release that the node speaks for, for example "4.1.2". */
  readonly version: string;
}

/** What the methods read from. A run of reads without an await between them sees one snapshot. */
export interface NodeServices {
  chain: ChainReader;
  world: WorldStateReader;
  core: Core;
  identity: RollupIdentity;
  status: NodeStatus;
}
