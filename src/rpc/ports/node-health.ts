import type { HealthReading } from "../../telemetry/health.ts";
import type { Eventually } from "./eventually.ts";

export interface ComponentHealth extends HealthReading {
  readonly name: string;
  /** When the state became what it is: ISO 8601, UTC. */
  readonly since: string;
}

/** Limits of readiness. undefined sets no limit. */
export interface ReadinessLimits {
  /** Blocks that L1 has and the node does not. */
  readonly maxLagBlocks?: number;
  /** Age of the latest L1 block that the node has processed, or how far it is ahead of the node's clock. */
  readonly maxL1AgeSeconds?: number;
  readonly minPeers?: number;
}

export interface HealthReport {
  readonly components: readonly ComponentHealth[];
  readonly blockNumber: number;
  readonly checkpointNumber: number;
  readonly lagBlocks: number;
  /** The L1 block up to which the node has processed everything; undefined before the first one. */
  readonly l1BlockNumber?: number;
  /** Negative when the block is ahead of the node's clock. */
  readonly l1AgeSeconds?: number;
  /** Connected peers; undefined where P2P is off. */
  readonly peers?: number;
  /** Limits that hold unless the question names others. */
  readonly limits: ReadinessLimits;
}

export interface NodeHealth {
  report(): Eventually<HealthReport>;
}
