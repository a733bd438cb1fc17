import type { ContentReader } from "../../archiver/content-types.ts";
import type { ChainReader } from "../../archiver/types.ts";
import type { FeeReader, RollupIdentity } from "../../l1/types.ts";
import { HEADER_AT } from "../../protocol/block-header.ts";
import { fromHex, readBigUint } from "../../protocol/bytes.ts";
import { type GasFees, manaFees, type TxGas } from "../../protocol/fees/gas-fees.ts";
import { fr } from "../../protocol/field.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import { type GeometrySettings, networkGeometry } from "../../protocol/generations/gas-limits.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import type { AllowedSetupCall } from "../../protocol/generations/transactions.ts";
import { slotAt, slotTimestamp } from "../../protocol/time.ts";
import type { CheckContext, CheckedState, Network } from "./checks/context.ts";
import type { CommittedStates } from "./committed-state.ts";

interface CheckSources {
  chain: Pick<ChainReader, "latestBlockNumber" | "block">;
  content: Pick<ContentReader, "contractInstance">;
  states: CommittedStates;
  identity: RollupIdentity;
  generation: Generation;
  fees: Pick<FeeReader, "currentMinFees">;
  /** Seconds since 1970. */
  now(): number;
}

/** Settings of the operator; they may change while the node runs. */
interface CheckOptions extends GeometrySettings {
  /** False refuses every tx. */
  permitted: boolean;
  /** Entries in addition to the built-in ones, which come first. */
  setupAllowList: readonly AllowedSetupCall[];
  /** Gas limits of the blocks that this node's validators accept; a dimension without a limit is absent. */
  validatorGasLimits: Partial<TxGas>;
}

export function networkOf(
  { l1ChainId, rollupVersion }: RollupIdentity,
  { vkTreeRoot, protocolContractsHash }: Pick<ContractRules, "vkTreeRoot" | "protocolContractsHash">,
): Network {
  return {
    chainId: fr(l1ChainId),
    rollupVersion: fr(rollupVersion),
    vkTreeRoot: fromHex(vkTreeRoot),
    protocolContractsHash: fromHex(protocolContractsHash),
  };
}

function commonOf({ identity, generation, content }: CheckSources, options: CheckOptions) {
  const { permitted, setupAllowList, validatorGasLimits } = options;
  const { transactions, contracts, consensus } = generation;
  const geometry = networkGeometry(identity.constants, options, consensus);
  return {
    permitted,
    rules: generation,
    network: networkOf(identity, contracts),
    gasLimits: transactions.admittedGas(geometry, validatorGasLimits),
    setupAllowList: [...transactions.setupCalls, ...setupAllowList],
    contractInstance: (address: Uint8Array, timestamp: bigint) => content.contractInstance(address, timestamp),
  };
}

/**
 * Makes the context of checks for each way a tx can arrive
 * (docs/protocol/07-transactions-and-fees.md#714-what-checks-go-by). A context is valid for one synchronous run.
 */
export class CheckContexts {
  readonly #sources: CheckSources;
  #options: CheckOptions;
  #common: ReturnType<typeof commonOf>;

  constructor(sources: CheckSources, options: CheckOptions) {
    this.#sources = sources;
    this.#options = options;
    this.#common = commonOf(sources, options);
  }

  get options(): CheckOptions {
    return this.#options;
  }

  /** The generation that the contexts are of. */
  get rules(): CheckContext["rules"] {
    return this.#common.rules;
  }

  /** Applies to contexts made from now on. */
  configure(changes: Partial<CheckOptions>): void {
    this.#options = { ...this.#options, ...changes };
    this.#common = commonOf(this.#sources, this.#options);
  }

  /** The rollup's min fees for the next checkpoint. Throws an L1Error while L1 does not answer. */
  currentMinFees(): Promise<GasFees> {
    return this.#sources.fees.currentMinFees();
  }

  /** The fees of the latest block, used for gossiped txs. */
  latestBlockFees(): GasFees {
    const { chain } = this.#sources;
    const header = chain.block(chain.latestBlockNumber())?.header;
    return manaFees(header === undefined ? 0n : readBigUint(header, HEADER_AT.feePerL2Gas, 16));
  }

  /**
   * Context on the committed state, for the slot of the next L1 block. The timestamp is the slot's start, which may be
   * past.
   */
  next(gasFees: GasFees): CheckContext {
    const { chain, states, identity, now } = this.#sources;
    const { constants } = identity;
    const slot = slotAt(Math.floor(now()) + constants.ethereumSlotDuration, constants);
    return {
      ...this.#common,
      target: { timestamp: BigInt(slotTimestamp(slot, constants)), blockNumber: chain.latestBlockNumber() + 1 },
      state: states.latest(),
      gasFees,
    };
  }

  /** Context for a block that is built or re-executed: its own state and fees, no validator limits. */
  ofBlock(block: { target: CheckContext["target"]; gasFees: GasFees; state: CheckedState }): CheckContext {
    return { ...this.#common, gasLimits: this.#common.rules.transactions.maxGas, ...block };
  }
}
