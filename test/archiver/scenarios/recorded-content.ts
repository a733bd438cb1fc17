import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ContentReader, FoundLog, LogRange, TaggedLog } from "../../../src/archiver/content-types.ts";
import { concat, fromHex, toHex, word } from "../../../src/protocol/bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS, PRIVATE_LOG_FIELDS } from "../../../src/protocol/constants.ts";
import { items, type TxEffect } from "../../../src/protocol/tx-effect.ts";

interface RecordedCase {
  method: string;
  params: unknown[];
  status: number;
  result?: unknown;
}

const texts = (words: Uint8Array) => items(words).map(toHex);
const padded = (words: Uint8Array, count: number) => texts(concat(words, new Uint8Array(count * 32 - words.length)));
const addressed = (log: { contractAddress: Uint8Array; fields: Uint8Array }) => ({
  contractAddress: toHex(log.contractAddress),
  fields: texts(log.fields),
});
const classLog = (log: { contractAddress: Uint8Array; fields: Uint8Array }) => ({
  contractAddress: toHex(log.contractAddress),
  fields: { fields: padded(log.fields, CONTRACT_CLASS_LOG_FIELDS) },
  emittedLength: log.fields.length / 32,
});
const tagged = (log: TaggedLog) => ({
  txHash: toHex(log.txHash),
  blockNumber: log.blockNumber,
  blockTimestamp: String(log.blockTimestamp),
  logData: texts(log.logData),
  noteHashes: texts(log.noteHashes),
  firstNullifier: toHex(word(log.nullifiers, 0)),
});

function found(encode: (log: FoundLog) => object, { logs, maxLogsHit }: { logs: FoundLog[]; maxLogsHit: boolean }) {
  const id = (log: FoundLog) => ({
    blockNumber: log.blockNumber,
    blockHash: toHex(log.blockHash),
    txHash: toHex(log.txHash),
    txIndex: log.txIndex,
    logIndex: log.logIndex,
  });
  return { logs: logs.map((log) => ({ id: id(log), log: encode(log) })), maxLogsHit };
}

function effect(tx: TxEffect) {
  return {
    revertCode: tx.revertCode,
    txHash: toHex(tx.txHash),
    transactionFee: toHex(tx.transactionFee),
    noteHashes: texts(tx.noteHashes),
    nullifiers: texts(tx.nullifiers),
    l2ToL1Msgs: texts(tx.l2ToL1Msgs),
    publicDataWrites: Array.from({ length: tx.publicDataWrites.length / 64 }, (_, i) => ({
      leafSlot: toHex(word(tx.publicDataWrites, 2 * i)),
      value: toHex(word(tx.publicDataWrites, 2 * i + 1)),
    })),
    privateLogs: tx.privateLogs.map((fields) => ({
      fields: padded(fields, PRIVATE_LOG_FIELDS),
      emittedLength: fields.length / 32,
    })),
    publicLogs: tx.publicLogs.map(addressed),
    contractClassLogs: tx.contractClassLogs.map(classLog),
  };
}

const PAGE = 10;
const page = (params: unknown[], at: number) => ({ limit: PAGE, skip: PAGE * Number(params[at] ?? 0) });
const range = (params: unknown[]) => ({ ...(params[0] as Omit<LogRange, "limit">), limit: 1000 });
const first = (params: unknown[]) => fromHex(String(params[0]));

/** How a reader's answers look on the wire (docs/protocol/05-rpc.md#515-block-objects), by method. */
const ANSWERS: Record<string, (content: ContentReader, params: unknown[]) => unknown> = {
  getPrivateLogsByTags: (content, params) =>
    (params[0] as string[]).map((tag) => content.privateLogsByTag(fromHex(tag), page(params, 1)).map(tagged)),
  getPublicLogsByTagsFromContract: (content, params) =>
    (params[1] as string[]).map((tag) =>
      content.publicLogsByTag(first(params), fromHex(tag), page(params, 2)).map(tagged),
    ),
  getPublicLogs: (content, params) => found(addressed, content.publicLogs(range(params))),
  getContractClassLogs: (content, params) => found(classLog, content.contractClassLogs(range(params))),
  getTxEffect: (content, params) => {
    const settled = content.settledTx(first(params));
    if (settled === undefined) return undefined;
    const { blockHash, blockNumber, txIndexInBlock } = settled;
    return {
      l2BlockHash: toHex(blockHash),
      l2BlockNumber: blockNumber,
      txIndexInBlock,
      data: effect(settled.effect),
    };
  },
  getContract: (content, params) => {
    const instance = content.contractInstance(first(params));
    if (instance === undefined) return undefined;
    const key = (i: number) => toHex(instance.publicKeys.subarray(64 * i, 64 * i + 64));
    return {
      version: 1,
      salt: toHex(instance.salt),
      deployer: toHex(instance.deployer),
      currentContractClassId: toHex(instance.currentContractClassId),
      originalContractClassId: toHex(instance.originalContractClassId),
      initializationHash: toHex(instance.initializationHash),
      publicKeys: {
        masterNullifierPublicKey: key(0),
        masterIncomingViewingPublicKey: key(1),
        masterOutgoingViewingPublicKey: key(2),
        masterTaggingPublicKey: key(3),
      },
      address: toHex(instance.address),
    };
  },
  getContractClass: (content, params) => {
    const registered = content.contractClass(first(params));
    if (registered === undefined) return undefined;
    return {
      l2BlockNumber: registered.blockNumber,
      version: 1,
      artifactHash: toHex(registered.artifactHash),
      privateFunctions: [],
      utilityFunctions: [],
      packedBytecode: Buffer.from(registered.packedBytecode).toString("base64"),
      privateFunctionsRoot: toHex(registered.privateFunctionsRoot),
      id: toHex(registered.id),
    };
  },
  getL2ToL1Messages: (content, params) =>
    content.l2ToL1Messages(Number(params[0])).map((c) => c.map((b) => b.map((tx) => tx.map(toHex)))),
};

/** The recorded answers over chain-a that a content reader can give by itself; refusals come from the RPC layer. */
export function recordedCases(): RecordedCase[] {
  const lines = gunzipSync(readFileSync(new URL("../../fixtures/chain-a/golden-v4.jsonl.gz", import.meta.url)));
  const cases: RecordedCase[] = lines
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return cases.filter(({ method, status }) => method in ANSWERS && status === 200);
}

export function answer(content: ContentReader, { method, params }: RecordedCase): unknown {
  return ANSWERS[method](content, params);
}
