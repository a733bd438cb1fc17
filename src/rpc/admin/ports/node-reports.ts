import type { MetricFamily } from "../../../telemetry/metrics/metrics.ts";
import type { HealthReport } from "../../ports/node-health.ts";

/** A line of the log, as it was written. */
export interface LogLine {
  /** Counts the lines since the start of the process. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly time: number;
  /** Such as "warn". */
  readonly level: string;
  readonly module: string;
  readonly message: string;
  /** The line's further fields as `name=value`. */
  readonly fields: readonly string[];
}

/** An option with the value that the node was started with. */
export interface OptionReport {
  readonly name: string;
  readonly group: string;
  readonly flag: string | undefined;
  readonly variable: string | undefined;
  /** Empty where there is none; secrets are redacted. */
  readonly value: string;
  readonly origin: string;
  readonly meaning: string;
}

/** A connected peer. */
export interface PeerReport {
  readonly id: string;
  /** Text of its IP address. */
  readonly ip: string | undefined;
  readonly inbound: boolean;
  /** Unix milliseconds. */
  readonly connectedAt: number;
  /** For faults in requests and messages; 0 at best. */
  readonly score: number;
  /** Of gossip; contains the other one, weighted. */
  readonly gossipScore: number;
  readonly state: "healthy" | "disconnect" | "banned";
  /** Topics in whose mesh it is. */
  readonly meshes: readonly string[];
  /** Whether it is listed in the configuration, so that it is never pruned. */
  readonly listed: boolean;
}

/** A transaction of the pool without its content. */
export interface PooledTxReport {
  readonly hash: Uint8Array;
  readonly feePayer: Uint8Array;
  readonly priorityFee: bigint;
  /** Most that it may cost, in units of the fee asset. */
  readonly feeLimit: bigint;
  readonly l2GasLimit: number;
  readonly forPublic: boolean;
  readonly bytes: number;
  /** Unix milliseconds; undefined if it was there when the node started. */
  readonly receivedAt: number | undefined;
  /** Unix seconds after which no block may have it. */
  readonly expiration: bigint;
}

/** What a node tells its operator about itself. */
export interface NodeReports {
  health(): HealthReport;
  metrics(): MetricFamily[];
  /** The latest lines after a sequence number, oldest first. */
  logLines(after: number, most: number): LogLine[];
  options(): OptionReport[];
  peers(): PeerReport[];
  /** Pending transactions, highest priority first. */
  pendingTxs(most: number): PooledTxReport[];
  /** Attesters of this node, lower-case 0x text. */
  attesters(): string[];
}
