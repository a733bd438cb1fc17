import type { ChainStore } from "../archiver/chain-store.ts";
import { ContentStore } from "../archiver/content-store.ts";
import type { Core } from "../core/core.ts";
import type { ConnectedRollup } from "../l1/types.ts";
import { txGasLimits } from "../protocol/tx/gas-limits.ts";
import type { AllowedSetupCall } from "../protocol/tx/setup-allow-list.ts";
import { ABSENT_SERVICES } from "../rpc/methods/absent-services.ts";
import type { NodeServices } from "../rpc/methods/services.ts";
import type { Store } from "../storage/store.ts";
import type { WorldState } from "../world-state/world-state.ts";

export interface RpcServicesOptions {
  store: Store;
  chain: ChainStore;
  world: WorldState;
  core: Core;
  reader: ConnectedRollup;
  signatures: NodeServices["signatures"];
  /** Whether txs are taken. */
  ready(): boolean;
  version: string;
  realProofs: boolean;
  /** At the moment; undefined: a slot has one block. */
  blockDurationMs(): number | undefined;
  /** At the moment, entries beside the built-in ones. */
  setupAllowList(): readonly AllowedSetupCall[];
}

/** What the public methods read from, in a node that follows the chain and has no other subsystem. */
export function rpcServices(options: RpcServicesOptions): NodeServices {
  const { store, chain, world, core, reader, signatures, version, setupAllowList, realProofs, blockDurationMs } =
    options;
  const { identity, fees, outbox } = reader;
  return {
    ...ABSENT_SERVICES,
    chain,
    content: new ContentStore({ store, chain }),
    world,
    core,
    identity,
    status: {
      ready: options.ready,
      version,
      realProofs,
      txGasLimits() {
        const duration = blockDurationMs();
        return txGasLimits({
          ...identity.constants,
          blockDuration: duration === undefined ? undefined : duration / 1000,
        });
      },
    },
    sync: { lastProcessedL1Block: () => chain.state.processed() },
    fees,
    outbox,
    signatures,
    setup: { allowed: setupAllowList },
  };
}
