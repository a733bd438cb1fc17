import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { MULTICALL3_ADDRESS } from "../abi/multicall3.ts";
import { L1RpcError } from "../errors.ts";
import { isRevert, type L1Rpc } from "../rpc/l1-rpc.ts";
import type { StateOverride } from "../state-override.ts";
import { cappedGas, MAX_TX_GAS, rawGasEstimate, withBuffer } from "../tx/estimate-gas.ts";
import { readFeeMarket } from "../tx/fee-market.ts";
import { txFees } from "../tx/fees.ts";
import type { L1TxSettings } from "../tx/settings.ts";
import type { BlobSidecars } from "../tx/transaction.ts";
import { blobInput } from "./propose-calldata.ts";
import { revertName } from "./revert-name.ts";
import { simulateCall } from "./simulate.ts";

const blobsAbi = parseAbi([
  "function validateBlobs(bytes) view returns (bytes32[] blobHashes, bytes32 blobsHash, bytes[] commitments)",
]);

/**
 * Storage override that turns off the rollup's blob check (docs/protocol/04-l1-contracts.md#42-constants-of-a-rollup),
 * since a simulation has no blobs.
 */
const CHECK_BLOB = { slot: `0x${"4".padStart(64, "0")}`, value: `0x${"0".repeat(64)}` };
const EIP150_NUMERATOR = 64n;
const EIP150_DENOMINATOR = 63n;
const EXTRA_GAS = 5000n;

type ProposalCheck = { kind: "passes"; gasLimit: bigint } | { kind: "reverts"; reason: string };

interface ProposalCall {
  /** The account that sends, lower-case 0x text. */
  sender: string;
  rollupAddress: string;
  calldata: Uint8Array;
  sidecars: BlobSidecars;
  /** Timestamp of the L1 block that would include the call, in seconds. */
  timestamp: number;
  /** The rollup's pending chain as an earlier call of the same transaction leaves it; undefined: as it is. */
  pending: StateOverride | undefined;
}

/**
 * Gas limit of a bundled call: accounts for the 64th that the caller retains (EIP-150), plus a buffer
 * (docs/protocol/08-building-and-checkpoints.md#818-gas-of-propose and 4.5).
 */
export function bundledGas(simulated: bigint, extra: bigint, bufferPercentage: number): bigint {
  const forwarded = (simulated * EIP150_NUMERATOR + EIP150_DENOMINATOR - 1n) / EIP150_DENOMINATOR;
  return cappedGas(withBuffer(forwarded + extra, bufferPercentage));
}

/** Gas of the rollup's blob check. Throws an L1RpcError if the rollup rejects the blobs. */
async function blobsGas(rpc: L1Rpc, call: ProposalCall, settings: L1TxSettings): Promise<bigint> {
  const { sender: from, rollupAddress: to, sidecars } = call;
  const input = toHex(blobInput(sidecars.commitments)) as Hex;
  const data = fromHex(encodeFunctionData({ abi: blobsAbi, functionName: "validateBlobs", args: [input] }));
  const { maxFeePerBlobGas } = txFees(await readFeeMarket(rpc, true), settings, { blobs: true });
  return rawGasEstimate(rpc, { from, to, data, sidecars, maxFeePerBlobGas });
}

/**
 * Whether the rollup would accept a proposal, and its gas limit
 * (docs/protocol/08-building-and-checkpoints.md#818-gas-of-propose). Throws an L1Error.
 */
export async function checkProposal(rpc: L1Rpc, call: ProposalCall, settings: L1TxSettings): Promise<ProposalCheck> {
  const { rollupAddress, calldata, timestamp } = call;
  const overrides = [{ address: rollupAddress, ...CHECK_BLOB }, ...(call.pending ? [call.pending] : [])];
  const from = MULTICALL3_ADDRESS;
  try {
    const [simulated, gasOfBlobs] = await Promise.all([
      simulateCall(rpc, { from, to: rollupAddress, data: calldata, timestamp, overrides }),
      blobsGas(rpc, call, settings),
    ]);
    if (simulated.kind === "reverted") return { kind: "reverts", reason: simulated.reason };
    const gasUsed = simulated.kind === "succeeded" ? simulated.gasUsed : MAX_TX_GAS;
    return {
      kind: "passes",
      gasLimit: bundledGas(gasUsed, gasOfBlobs + EXTRA_GAS, settings.gasLimitBufferPercentage),
    };
  } catch (error) {
    if (!(error instanceof L1RpcError) || !isRevert(error)) throw error;
    return { kind: "reverts", reason: error.data === undefined ? error.rpcMessage : revertName(error.data) };
  }
}
