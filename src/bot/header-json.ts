import { type BlockHeader, blockHeaderFromBytes } from "../protocol/block-header.ts";
import { bigUintBytes, concat, fromHex } from "../protocol/bytes.ts";

interface SnapshotJson {
  root: string;
  nextAvailableLeafIndex: number;
}

/** BlockHeader in the JSON format of nodes (docs/protocol/05-rpc.md#515-block-objects). */
export interface BlockHeaderJson {
  lastArchive: SnapshotJson;
  state: {
    l1ToL2MessageTree: SnapshotJson;
    partial: { noteHashTree: SnapshotJson; nullifierTree: SnapshotJson; publicDataTree: SnapshotJson };
  };
  spongeBlobHash: string;
  globalVariables: {
    chainId: string;
    version: string;
    blockNumber: number;
    slotNumber: string;
    timestamp: string;
    coinbase: string;
    feeRecipient: string;
    gasFees: { feePerDaGas: string; feePerL2Gas: string };
  };
  totalFees: string;
  totalManaUsed: string;
}

const number = (value: string | number, bytes: number) => bigUintBytes(BigInt(value), bytes);
const snapshot = ({ root, nextAvailableLeafIndex }: SnapshotJson) => [fromHex(root), number(nextAvailableLeafIndex, 4)];

/** Parses a header to its 440 bytes. Throws a DecodeError, RangeError or TypeError if it is invalid. */
export function blockHeaderFromJson(json: BlockHeaderJson): BlockHeader {
  const { lastArchive, state, spongeBlobHash, globalVariables: globals, totalFees, totalManaUsed } = json;
  const { noteHashTree, nullifierTree, publicDataTree } = state.partial;
  const trees = [lastArchive, state.l1ToL2MessageTree, noteHashTree, nullifierTree, publicDataTree];
  return blockHeaderFromBytes(
    concat(
      ...trees.flatMap(snapshot),
      fromHex(spongeBlobHash),
      number(globals.chainId, 32),
      number(globals.version, 32),
      number(globals.blockNumber, 4),
      number(globals.slotNumber, 4),
      number(globals.timestamp, 8),
      fromHex(globals.coinbase),
      fromHex(globals.feeRecipient),
      number(globals.gasFees.feePerDaGas, 16),
      number(globals.gasFees.feePerL2Gas, 16),
      number(totalFees, 32),
      number(totalManaUsed, 32),
    ),
  );
}
