import { type BlockHeader, HEADER_AT } from "../../../protocol/block-header.ts";
import { readU32 } from "../../../protocol/bytes.ts";
import type { JsonWriter } from "../json-writer.ts";

/** A tree snapshot as it lies in a header: root, then the next leaf index as u32. */
function snapshot(out: JsonWriter, header: BlockHeader, at: number): void {
  out.text('{"root":').word(header, at);
  out
    .text(',"nextAvailableLeafIndex":')
    .number(readU32(header, at + 32))
    .text("}");
}

/** BlockHeader (sheet 02 section 4.2). */
export function encodeBlockHeader(out: JsonWriter, header: BlockHeader): void {
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
}

/** GlobalVariables of a header. The slot number is a field here, unlike everywhere else. */
export function encodeGlobalVariables(out: JsonWriter, header: BlockHeader): void {
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
}

/** GasFees from two u128 back to back: DA, then L2. */
export function encodeGasFees(out: JsonWriter, bytes: Uint8Array, at: number): void {
  out.text('{"feePerDaGas":').decimalBytes(bytes, at, 16);
  out
    .text(',"feePerL2Gas":')
    .decimalBytes(bytes, at + 16, 16)
    .text("}");
}
