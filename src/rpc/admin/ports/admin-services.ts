import type { MissedDuty, TimedSlot } from "../../../telemetry/duty-times.ts";
import type { KeystoreControl } from "./keystore-control.ts";
import type { LocalNetworkControl } from "./local-network-control.ts";
import type { NodeReports } from "./node-reports.ts";
import type { RuntimeConfig } from "./runtime-config.ts";
import type { SequencerControl } from "./sequencer-control.ts";
import type { Slasher } from "./slasher.ts";
import type { SnapshotUploads } from "./snapshot-uploads.ts";
import type { SyncControl } from "./sync-control.ts";

/** What admin methods act on. Undefined: not part of this node. */
export interface AdminServices {
  config: RuntimeConfig;
  sync: SyncControl;
  keystore: KeystoreControl;
  snapshots: SnapshotUploads | undefined;
  sequencer: SequencerControl | undefined;
  slasher: Slasher | undefined;
  localNetwork: LocalNetworkControl | undefined;
  /** The latest slots with duties, newest first. */
  dutyTimes(): TimedSlot[];
  /** The latest misses, newest slot first. */
  missedDuties(): MissedDuty[];
  reports: NodeReports;
}
