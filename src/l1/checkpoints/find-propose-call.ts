import { fromHex, toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { readPackedAttestations, unusedBits } from "../committee/packed-attestations.ts";
import { CheckpointCalldataError, L1Error } from "../errors.ts";
import type { L1Transaction } from "../rpc/answers.ts";
import type { CommitteeAttestation } from "../types.ts";
import { directDecoder } from "./decode-direct.ts";
import { multicall3Decoder } from "./decode-multicall3.ts";
import { spireDecoder } from "./decode-spire.ts";
import { traceDecoder } from "./decode-trace.ts";
import type { DecoderContext } from "./decoder.ts";
import { type ProposeCall, proposeMismatch, readProposeCall } from "./propose-call.ts";
import type { ProposedEvent } from "./proposed-event.ts";

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
