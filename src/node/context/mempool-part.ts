import type { DigestPool } from "../../mempool/digest/digest-pool.ts";
import type { Digests } from "../../mempool/digest/tx-digest.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { CheckContexts } from "../../mempool/validation/check-contexts.ts";
import type { CommittedStates } from "../../mempool/validation/committed-state.ts";
import type { TxValidator } from "../../mempool/validation/tx-validator.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { PoolEvents } from "../../rpc/ports/pool-events.ts";
import type { Store } from "../../storage/store.ts";
import type { HealthProbe } from "../../telemetry/health.ts";

/** Services for pending transactions. */
export interface MempoolPart {
  readonly pool: TxPool;
  readonly validator: TxValidator;
  readonly contexts: CheckContexts;
  readonly states: CommittedStates;
  readonly digests: Digests & Pick<DigestPool, "hurry" | "release">;
  /** The pool's LMDB environment. */
  readonly store: Store;
  readonly services: Pick<NodeServices, "mempool" | "txValidator" | "simulator">;
  /** Changes of the pending txs. */
  readonly events: PoolEvents;
  /** Calls the listener with the binary form of each tx that a client submitted and the pool accepted. */
  onSubmitted(listener: (bytes: Uint8Array) => void): () => void;
  /**
   * Whether txs are accepted: only after the initial sync, if they are not disabled, and if there is a proof verifier.
   */
  ready(): boolean;
  readonly health: HealthProbe;
  stop(): Promise<void>;
}
