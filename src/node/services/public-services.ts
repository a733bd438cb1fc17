import { ContentStore } from "../../archiver/content-store.ts";
import type { PartValues } from "../../config/part-values.ts";
import { networkGeometry } from "../../protocol/generations/gas-limits.ts";
import { ABSENT_SERVICES } from "../../rpc/ports/absent-services.ts";
import type { EpochProving } from "../../rpc/ports/epoch-prover.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { PeerNetwork } from "../../rpc/ports/peer-network.ts";
import type { JobSource } from "../../rpc/ports/proving-broker.ts";
import type { ValidatorStats } from "../../rpc/ports/validator-stats.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { LiveConfig } from "./live-config.ts";

interface PublicParts {
  values: Pick<PartValues, "proofs" | "rpc">;
  mempool: {
    readonly services: Pick<NodeServices, "mempool" | "txValidator" | "simulator">;
    readonly contexts: { readonly options: { readonly setupAllowList: ReturnType<NodeServices["setup"]["allowed"]> } };
    ready(): boolean;
  };
  /** Undefined where P2P is disabled. */
  p2p: { readonly answers: PeerNetwork; ready(): boolean } | undefined;
  /** Undefined where duties of validators are not recorded. */
  sentinel: { readonly answers: ValidatorStats } | undefined;
  /** Undefined for a node that does not prove. */
  prover?: { readonly answers: EpochProving; readonly jobSource: JobSource | undefined };
  config: LiveConfig;
  signatures: NodeServices["signatures"];
}

/** Services of the public methods. Methods of parts that this node does not have answer like a node without them. */
export function publicServices(
  { store, chain, world, core, reader }: ChainContext,
  { values, mempool, p2p, sentinel, prover, config, signatures }: PublicParts,
): NodeServices {
  const { identity, fees, outbox } = reader;
  const { transactions, consensus } = chain.generation;
  return {
    ...ABSENT_SERVICES,
    chain,
    content: new ContentStore({ store, chain }),
    world,
    core,
    identity,
    status: {
      ready: () => mempool.ready() && (p2p?.ready() ?? true),
      version: chain.generation.api.release,
      revertWords: values.rpc.answers.revertWords,
      realProofs: values.proofs.real,
      txGasLimits() {
        return transactions.offeredGas(networkGeometry(identity.constants, config.live().checks, consensus));
      },
    },
    sync: { lastProcessedL1Block: () => chain.state.processed() },
    fees,
    outbox,
    signatures,
    setup: { allowed: () => mempool.contexts.options.setupAllowList },
    ...mempool.services,
    ...(p2p && { p2p: p2p.answers }),
    ...(sentinel && { validatorStats: sentinel.answers }),
    ...(prover && { prover: prover.answers }),
    ...(prover?.jobSource && { jobSource: prover.jobSource }),
  };
}
