import type { ChainStore } from "../../archiver/chain-store.ts";
import type { Synchronizer } from "../../archiver/synchronizer.ts";
import type { Core } from "../../core/core.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import type { SendingAccounts } from "../../l1/tx/sampled-accounts.ts";
import type { ConnectedRollup } from "../../l1/types.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import type { Store } from "../../storage/store.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import type { SpannedSlot } from "../../telemetry/otlp/duty-spans.ts";
import type { PrefilledEntry } from "../../world-state/tables/genesis-row.ts";
import type { WorldState } from "../../world-state/world-state.ts";
import type { ShiftableClock } from "./clock.ts";
import type { ThreadBudget } from "./thread-budget.ts";

/** What all parts of a process count in and are observed by. */
export interface Observed {
  readonly metrics: Metrics;
  /** Has balances of accounts read while somebody reads the metrics. Returns what ends that. */
  readonly sampleAccounts: (accounts: SendingAccounts) => () => void;
  /** Takes slots that are over, for traces; undefined if none are exported. */
  readonly slotEnded?: (slot: SpannedSlot) => void;
  /** Counts the calls to L1. */
  readonly l1Calls: L1CallCounts;
  /** The health of all endpoints that the process asks. */
  readonly endpoints: EndpointBook;
}

/** The chain services that all parts of a node share. */
export interface ChainContext extends Observed {
  readonly store: Store;
  readonly chain: ChainStore;
  readonly world: WorldState;
  readonly core: Core;
  readonly reader: ConnectedRollup;
  readonly synchronizer: Synchronizer;
  /** Public data in the network's genesis state. */
  readonly publicData: readonly PrefilledEntry[];
  /** L1's time. */
  readonly clock: ShiftableClock;
  readonly threads: ThreadBudget;
  readonly loggerFor: LoggerFor;
}
