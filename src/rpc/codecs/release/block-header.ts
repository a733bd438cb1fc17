import { type BlockHeader, HEADER_AT } from "../../../protocol/block-header.ts";
import { readU32 } from "../../../protocol/bytes.ts";
import { encoder } from "../json/encoder.ts";
import { about, COUNT, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_NUMBER, ETH_ADDRESS, FIELD, L2_ADDRESS, TIMESTAMP } from "../json/scalars.ts";
import { GAS_FEES } from "../shared/gas-fees.ts";

export const TREE_SNAPSHOT = record("AppendOnlyTreeSnapshot", "A Merkle tree at one time.", {
  root: about(FIELD, "Root of the tree."),
  nextAvailableLeafIndex: about(COUNT, "How many leaves it has."),
});

/** Writes the tree snapshot at `at` in a header: root, then next leaf index as u32. */
function snapshot(out: JsonWriter, header: BlockHeader, at: number): void {
  out.text('{"root":').word(header, at);
  out
    .text(',"nextAvailableLeafIndex":')
    .number(readU32(header, at + 32))
    .text("}");
}

const GLOBAL_VARIABLES = record("GlobalVariables", "What is the same for all transactions of a block.", {
  chainId: about(FIELD, "Chain id of L1."),
  version: about(FIELD, "Version of the rollup."),
  blockNumber: BLOCK_NUMBER,
  slotNumber: about(FIELD, "The block's slot, as a field unlike everywhere else."),
  timestamp: about(TIMESTAMP, "Start of the block's slot."),
  coinbase: about(ETH_ADDRESS, "Who gets the rewards of the block on L1."),
  feeRecipient: about(L2_ADDRESS, "Who gets the fees of the block's transactions."),
  gasFees: about(GAS_FEES, "Base fees of the block."),
});

/** GlobalVariables of a header. The slot number is a field here, unlike everywhere else. */
export const encodeGlobalVariables = encoder<BlockHeader>(GLOBAL_VARIABLES, (out, header) => {
  out.text('{"chainId":').word(header, HEADER_AT.chainId);
  out.text(',"version":').word(header, HEADER_AT.version);
  out.text(',"blockNumber":').number(readU32(header, HEADER_AT.blockNumber));
  out.text(',"slotNumber":').paddedWord(header, HEADER_AT.slotNumber, 4);
  out.text(',"timestamp":').decimalBytes(header, HEADER_AT.timestamp, 8);
  out.text(',"coinbase":').hex(header, HEADER_AT.coinbase, HEADER_AT.coinbase + 20);
  out.text(',"feeRecipient":').word(header, HEADER_AT.feeRecipient);
  out.text(',"gasFees":');
  encodeGasFees(out, header, HEADER_AT.feePerDaGas);
  out.text("}");
});

const BLOCK_HEADER = record("BlockHeader", "The header of a block of the rollup; its hash is the block's hash.", {
  lastArchive: about(TREE_SNAPSHOT, "The archive before the block."),
  state: record("StateReference", "The trees after a block.", {
    l1ToL2MessageTree: about(TREE_SNAPSHOT, "The tree of messages from L1."),
    partial: record("PartialStateReference", "The trees after a block, without that of messages.", {
      noteHashTree: about(TREE_SNAPSHOT, "The tree of note hashes."),
      nullifierTree: about(TREE_SNAPSHOT, "The tree of nullifiers."),
      publicDataTree: about(TREE_SNAPSHOT, "The tree of public storage."),
    }),
  }),
  spongeBlobHash: about(FIELD, "Hash of the checkpoint's blob fields up to the end of the block."),
  globalVariables: encodeGlobalVariables.schema,
  totalFees: about(FIELD, "Sum of the fees of the block's transactions, in the fee asset's smallest unit."),
  totalManaUsed: about(FIELD, "Sum of the L2 gas that the block's transactions are billed for."),
});

/** BlockHeader (docs/protocol/05-rpc.md#515-block-objects). */
export const encodeBlockHeader = encoder<BlockHeader>(BLOCK_HEADER, (out, header) => {
  out.text('{"lastArchive":');
  snapshot(out, header, HEADER_AT.lastArchive);
  out.text(',"state":{"l1ToL2MessageTree":');
  snapshot(out, header, HEADER_AT.l1ToL2MessageTree);
  out.text(',"partial":{"noteHashTree":');
  snapshot(out, header, HEADER_AT.noteHashTree);
  out.text(',"nullifierTree":');
  snapshot(out, header, HEADER_AT.nullifierTree);
  out.text(',"publicDataTree":');
  snapshot(out, header, HEADER_AT.publicDataTree);
  out.text('}},"spongeBlobHash":').word(header, HEADER_AT.spongeBlobHash);
  out.text(',"globalVariables":');
  encodeGlobalVariables(out, header);
  out.text(',"totalFees":').word(header, HEADER_AT.totalFees);
  out.text(',"totalManaUsed":').word(header, HEADER_AT.totalManaUsed).text("}");
});

/** Writes GasFees from two adjacent u128: DA, then L2. */
export function encodeGasFees(out: JsonWriter, bytes: Uint8Array, at: number): void {
  out.text('{"feePerDaGas":').decimalBytes(bytes, at, 16);
  out
    .text(',"feePerL2Gas":')
    .decimalBytes(bytes, at + 16, 16)
    .text("}");
}
