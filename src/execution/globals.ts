import { type BlockHeader, HEADER_AT, headerBlockNumber, headerTimestamp } from "../protocol/block-header.ts";
import { readBigUint } from "../protocol/bytes.ts";
import type { VmGlobals } from "./vm/run.ts";

/** The global variables of a block that its transactions can read. */
export function globalsOfHeader(header: BlockHeader): VmGlobals {
  return {
    chainId: header.subarray(HEADER_AT.chainId, HEADER_AT.chainId + 32),
    version: header.subarray(HEADER_AT.version, HEADER_AT.version + 32),
    blockNumber: headerBlockNumber(header),
    timestamp: headerTimestamp(header),
    feePerDaGas: readBigUint(header, HEADER_AT.feePerDaGas, 16),
    feePerL2Gas: readBigUint(header, HEADER_AT.feePerL2Gas, 16),
  };
}
