import { type BlockHeader, HEADER_AT, headerSlotNumber, headerTimestamp } from "../protocol/block-header.ts";
import { readBigUint } from "../protocol/bytes.ts";
import type { BuildServices, CheckpointTerms } from "./checkpoint-terms.ts";

/** For builders that execute blocks again and complete no checkpoint. */
export const NO_KZG: BuildServices["kzg"] = { commitment: () => Promise.reject(new Error("no blobs are made")) };

/**
 * The terms under which a block was built, from its header: what only L1 can judge is taken as the header says
 * (docs/protocol/08-building-and-checkpoints.md#87-terms-of-a-checkpoint).
 */
export function termsOfHeader(
  header: BlockHeader,
  others: Pick<CheckpointTerms, "checkpointNumber" | "parentBlock" | "chainId" | "version" | "limits">,
): CheckpointTerms {
  return {
    ...others,
    slot: headerSlotNumber(header),
    timestamp: Number(headerTimestamp(header)),
    coinbase: header.slice(HEADER_AT.coinbase, HEADER_AT.feeRecipient),
    feeRecipient: header.slice(HEADER_AT.feeRecipient, HEADER_AT.feePerDaGas),
    gasFees: {
      feePerDaGas: readBigUint(header, HEADER_AT.feePerDaGas, 16),
      feePerL2Gas: readBigUint(header, HEADER_AT.feePerL2Gas, 16),
    },
  };
}
