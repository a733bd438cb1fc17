import { decodeFunctionData, type Hex, toFunctionSelector } from "viem";
import { equal, fromHex, toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { AbiWords } from "../abi/abi-words.ts";
import { MULTICALL3_ADDRESS, multicall3Abi } from "../abi/multicall3.ts";
import {
  IMPLEMENTATION_SLOT,
  SPIRE_IMPLEMENTATION_ADDRESS,
  SPIRE_PROPOSER_ADDRESS,
  spireProposerAbi,
} from "../abi/spire.ts";
import { readPackedAttestations, unusedBits } from "../committee/packed-attestations.ts";
import { CheckpointCalldataError, L1Error } from "../errors.ts";
import { bytes, type L1Transaction } from "../rpc/answers.ts";
import type { CommitteeAttestation } from "../types.ts";
import { traceDecoder } from "./decode-trace.ts";
import type { DecoderContext, ProposeDecoder } from "./decoder.ts";
import { isProposeCall, type ProposeCall, proposeMismatch, readProposeCall } from "./propose-call.ts";
import type { ProposedEvent } from "./proposed-event.ts";

/** The transaction calls the rollup directly. */
const directDecoder: ProposeDecoder = {
  name: "direct call",
  candidates: ({ to, input }, { rollupAddress, generation }) =>
    to === rollupAddress && isProposeCall(input, generation) ? [input] : [],
};

const AGGREGATE3 = fromHex(toFunctionSelector(multicall3Abi[0]));

/** Inner calls of an aggregate3: target, whether it may fail, calldata. None if the input is malformed. */
function innerCalls(input: Uint8Array): { target: string; calldata: Uint8Array }[] {
  if (!equal(input.subarray(0, 4), AGGREGATE3)) return [];
  try {
    return new AbiWords("aggregate3", input.subarray(4))
      .tupleArray(0)
      .map((call) => ({ target: toHex(call.address(0)), calldata: call.bytes(2) }));
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

/** The transaction calls Multicall3's aggregate3; several inner calls may look like a proposal. */
const multicall3Decoder: ProposeDecoder = {
  name: "Multicall3",
  candidates({ to, input }, { rollupAddress, generation }) {
    if (to !== MULTICALL3_ADDRESS) return [];
    return innerCalls(input)
      .filter(({ target }) => target === rollupAddress)
      .map(({ calldata }) => calldata)
      .filter((calldata) => isProposeCall(calldata, generation));
  },
};

/** The transaction calls the Spire proposer proxy. Only the known implementation of the proxy is accepted. */
const spireDecoder: ProposeDecoder = {
  name: "Spire proposer",
  async candidates({ hash, to, input }, context) {
    if (to !== SPIRE_PROPOSER_ADDRESS) return [];
    const slot = await context.rpc.request({
      method: "eth_getStorageAt",
      params: [SPIRE_PROPOSER_ADDRESS, IMPLEMENTATION_SLOT, "latest"],
      parse: (value) => bytes(value, "storage word", 32),
    });
    if (toHex(slot.subarray(12)) !== SPIRE_IMPLEMENTATION_ADDRESS) return [];
    let calls: readonly { target: string; data: Hex }[];
    try {
      [calls] = decodeFunctionData({ abi: spireProposerAbi, data: toHex(input) as Hex }).args;
    } catch {
      return [];
    }
    const candidates: Uint8Array[] = [];
    for (const { target, data } of calls) {
      const inner = { hash, to: target.toLowerCase(), input: fromHex(data) };
      candidates.push(...(await multicall3Decoder.candidates(inner, context)));
      candidates.push(...(await directDecoder.candidates(inner, context)));
    }
    return candidates;
  },
};

interface VerifiedProposal extends ProposeCall {
  attestations: CommitteeAttestation[];
  unusedBits: number;
}

const BY_INPUT = [multicall3Decoder, directDecoder, spireDecoder];

/**
 * The transaction's propose call that the event commits to, with decoded committee entries
 * (docs/protocol/04-l1-contracts.md#48-finding-the-calldata to 3.4). Throws a CheckpointCalldataError with the result
 * of each decoder.
 */
export async function findProposeCall(
  tx: L1Transaction,
  event: ProposedEvent,
  context: DecoderContext & { committeeSize: number; l1ChainId: number },
): Promise<VerifiedProposal> {
  const reasons: string[] = [];
  const signing = { l1ChainId: context.l1ChainId, rollupAddress: fromHex(context.rollupAddress) };
  const verify = (name: string, input: Uint8Array): VerifiedProposal | undefined => {
    try {
      const call = readProposeCall(input, context.generation);
      const mismatch = proposeMismatch(call, event, context.generation.consensus, signing);
      if (mismatch === undefined) {
        const { signatureIndices, signaturesOrAddresses } = call;
        const attestations = readPackedAttestations(signatureIndices, signaturesOrAddresses, context.committeeSize);
        return { ...call, attestations, unusedBits: unusedBits(signatureIndices, context.committeeSize) };
      }
      reasons.push(`${name}: ${mismatch}`);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      reasons.push(`${name}: ${error.message}`);
    }
    return undefined;
  };
  for (const decoder of BY_INPUT) {
    for (const input of await decoder.candidates(tx, context)) {
      const found = verify(decoder.name, input);
      if (found) return found;
    }
  }
  if (reasons.length === 0) reasons.push(`no known wrapper calls propose (to ${tx.to ?? "none"})`);
  try {
    const traced = await traceDecoder.candidates(tx, context);
    if (traced.length === 1) {
      const found = verify(traceDecoder.name, traced[0]);
      if (found) return found;
    } else {
      reasons.push(`trace: exactly one successful call to propose is needed, ${traced.length} found`);
    }
  } catch (error) {
    if (!(error instanceof L1Error)) throw error;
    reasons.push(`trace: ${error.message}`);
  }
  throw new CheckpointCalldataError(event.checkpointNumber, toHex(tx.hash), reasons);
}
