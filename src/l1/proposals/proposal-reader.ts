import type { Hex } from "viem";
import { toHex } from "../../protocol/bytes.ts";
import { type GasFees, manaFees } from "../../protocol/fees/gas-fees.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { rollupProposalsAbi } from "../abi/rollup-proposals.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { StateOverride } from "../state-override.ts";
import type { L1Block, ProposalReader, RollupIdentity } from "../types.ts";
import { feeAssetPriceModifier } from "./fee-asset-oracle.ts";

interface ProposalReaderOptions {
  rpc: L1Rpc;
  identity: RollupIdentity;
  latestBlock(): Promise<L1Block>;
  logger: Logger;
}

/** ProposalReader over JSON-RPC. Caches nothing, since each value may change with the next block. */
export class JsonRpcProposalReader implements ProposalReader {
  readonly #rpc: L1Rpc;
  readonly #rollup: Contract<typeof rollupProposalsAbi>;
  readonly #latestBlock: () => Promise<L1Block>;
  readonly #logger: Logger;

  constructor({ rpc, identity, latestBlock, logger }: ProposalReaderOptions) {
    this.#rpc = rpc;
    this.#rollup = { name: "Rollup", address: identity.addresses.rollupAddress, abi: rollupProposalsAbi };
    this.#latestBlock = latestBlock;
    this.#logger = logger;
  }

  async canProposeAt(
    timestamp: number,
    archive: Uint8Array,
    proposer: Uint8Array,
    pending?: StateOverride,
  ): Promise<{ slot: number; checkpointNumber: number }> {
    const args = [BigInt(timestamp), toHex(archive) as Hex, toHex(proposer) as Hex] as const;
    const overrides = pending && [pending];
    const answer = await read(this.#rpc, this.#rollup, "canProposeAtTime", args, undefined, overrides);
    const [slot, checkpointNumber] = answer;
    return { slot: Number(slot), checkpointNumber: Number(checkpointNumber) };
  }

  async minFeesAt(timestamp: number, pending?: StateOverride): Promise<GasFees> {
    const args = [BigInt(timestamp), true] as const;
    return manaFees(await read(this.#rpc, this.#rollup, "getManaMinFeeAt", args, undefined, pending && [pending]));
  }

  async feeAssetPriceModifier(): Promise<bigint> {
    const { number } = await this.#latestBlock();
    return feeAssetPriceModifier(this.#rpc, this.#rollup, number, this.#logger);
  }
}
