import type { BlockRecord, CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT } from "../../../src/protocol/block-header.ts";
import { bigUintBytes, concat, fromHex, writeU32, writeUint } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { TX_START_PREFIX } from "../../../src/protocol/tx-effect.ts";

/** Converts recorded JSON to the bytes that the node stores. */

type Json = string | number | { [key: string]: Json } | Json[];
export type JsonObject = { [key: string]: Json };

function at(value: Json, ...path: (string | number)[]): Json {
  return path.reduce((node, key) => (node as JsonObject)[key], value);
}

function object(value: Json, ...path: (string | number)[]): JsonObject {
  return at(value, ...path) as JsonObject;
}

function bytes(value: Json): Uint8Array {
  return fromHex(value as string);
}

function words(values: Json): Uint8Array {
  return concat(...(values as string[]).map((value) => bytes(value)));
}

export function headerBytes(header: JsonObject): Uint8Array {
  const out = new Uint8Array(BLOCK_HEADER_BYTES);
  const snapshot = (from: JsonObject, to: number) => {
    out.set(bytes(from.root), to);
    writeU32(out, to + 32, from.nextAvailableLeafIndex as number);
  };
  const globals = object(header, "globalVariables");
  snapshot(object(header, "lastArchive"), HEADER_AT.lastArchive);
  snapshot(object(header, "state", "l1ToL2MessageTree"), HEADER_AT.l1ToL2MessageTree);
  for (const tree of ["noteHashTree", "nullifierTree", "publicDataTree"] as const) {
    snapshot(object(header, "state", "partial", tree), HEADER_AT[tree]);
  }
  for (const name of ["spongeBlobHash", "totalFees", "totalManaUsed"] as const) {
    out.set(bytes(header[name]), HEADER_AT[name]);
  }
  for (const name of ["chainId", "version", "coinbase", "feeRecipient"] as const) {
    out.set(bytes(globals[name]), HEADER_AT[name]);
  }
  writeU32(out, HEADER_AT.blockNumber, globals.blockNumber as number);
  writeU32(out, HEADER_AT.slotNumber, Number(globals.slotNumber));
  out.set(bigUintBytes(BigInt(globals.timestamp as string), 8), HEADER_AT.timestamp);
  gasFees(out, object(globals, "gasFees"), HEADER_AT.feePerDaGas);
  return out;
}

function gasFees(out: Uint8Array, fees: JsonObject, to: number): void {
  out.set(bigUintBytes(BigInt(fees.feePerDaGas as string), 16), to);
  out.set(bigUintBytes(BigInt(fees.feePerL2Gas as string), 16), to + 16);
}

function lengthWord(length: number): Uint8Array {
  return bigUintBytes(BigInt(length), 32);
}

function txWords(effect: JsonObject): Uint8Array {
  const writes = (effect.publicDataWrites as JsonObject[]).map((write) =>
    concat(bytes(write.leafSlot), bytes(write.value)),
  );
  const privateLogs = (effect.privateLogs as JsonObject[]).map((log) => {
    const length = log.emittedLength as number;
    return concat(lengthWord(length), words((log.fields as Json[]).slice(0, length)));
  });
  const publicLogs = (effect.publicLogs as JsonObject[]).map((log) => {
    const fields = words(log.fields);
    return concat(lengthWord(fields.length / 32), bytes(log.contractAddress), fields);
  });
  const classLogs = (effect.contractClassLogs as JsonObject[]).map((log) => ({
    address: bytes(log.contractAddress),
    fields: words((at(log, "fields", "fields") as Json[]).slice(0, log.emittedLength as number)),
  }));
  const lists = [effect.noteHashes, effect.nullifiers, effect.l2ToL1Msgs];
  const publicLogBytes = concat(...publicLogs);

  const marker = new Uint8Array(32);
  writeU32(marker, 5, TX_START_PREFIX);
  const counts = [...lists.map((list) => (list as Json[]).length), writes.length, privateLogs.length];
  for (const [i, count] of counts.entries()) writeUint(marker, 9 + 2 * i, 2, count);
  writeU32(marker, 21, publicLogBytes.length / 32);
  writeUint(marker, 25, 2, (classLogs[0]?.fields.length ?? 0) / 32);
  marker[27] = effect.revertCode as number;
  return concat(
    marker,
    bytes(effect.txHash),
    bytes(effect.transactionFee),
    ...lists.map(words),
    ...writes,
    ...privateLogs,
    publicLogBytes,
    ...classLogs.flatMap(({ address, fields }) => [address, fields]),
  );
}

/** Stored form of a recorded L2Block. */
export function blockBytes(block: JsonObject, hash: Uint8Array): { block: BlockRecord; body: Uint8Array } {
  const effects = at(block, "body", "txEffects") as JsonObject[];
  return {
    block: {
      number: at(block, "header", "globalVariables", "blockNumber") as number,
      hash,
      header: headerBytes(object(block, "header")),
      archiveRoot: bytes(at(block, "archive", "root")),
      checkpointNumber: block.checkpointNumber as number,
      indexWithinCheckpoint: block.indexWithinCheckpoint as number,
      txCount: effects.length,
    },
    body: concat(...effects.map(txWords)),
  };
}

export function checkpointHeaderBytes(header: JsonObject): Uint8Array {
  const out = new Uint8Array(V4.headers.checkpointBytes);
  const fields = [
    "lastArchiveRoot",
    "blockHeadersHash",
    "blobsHash",
    "inHash",
    "epochOutHash",
    "coinbase",
    "feeRecipient",
    "totalManaUsed",
  ] as const;
  for (const name of fields) out.set(bytes(header[name]), CHECKPOINT_AT[name]);
  out.set(bigUintBytes(BigInt(header.slotNumber as number), 32), CHECKPOINT_AT.slotNumber);
  out.set(bigUintBytes(BigInt(header.timestamp as string), 8), CHECKPOINT_AT.timestamp);
  gasFees(out, object(header, "gasFees"), CHECKPOINT_AT.feePerDaGas);
  return out;
}

/** Stored form of a recorded CheckpointData. */
export function checkpointBytes(record: JsonObject): CheckpointRecord {
  return {
    number: record.checkpointNumber as number,
    header: checkpointHeaderBytes(object(record, "header")),
    archiveRoot: bytes(at(record, "archive", "root")),
    outHash: bytes(record.checkpointOutHash),
    startBlock: record.startBlock as number,
    blockCount: record.blockCount as number,
    feeAssetPriceModifier: 0n,
    l1: {
      number: Number(at(record, "l1", "blockNumber")),
      timestamp: Number(at(record, "l1", "timestamp")),
      hash: bytes(at(record, "l1", "blockHash")),
    },
    attestations: [],
  };
}
