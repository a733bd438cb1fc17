import { createHash } from "node:crypto";
import type { RebuildInput } from "../../../src/archiver/rebuilt-checkpoint.ts";
import type { Core } from "../../../src/core/core.ts";
import { blockHash } from "../../../src/core/derive/block-hash.ts";
import { blockHeadersHash } from "../../../src/core/derive/block-headers-hash.ts";
import type { ProposedCheckpoint } from "../../../src/l1/types.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT } from "../../../src/protocol/block-header.ts";
import { bigUintBytes, concat, writeU32, writeUint } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { BYTES_PER_BLOB } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { blobsHash, checkpointOutHash, epochOutHash, inHash } from "../../../src/protocol/sha-trees.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";

/** Constants of the rollup of the synthetic checkpoints. */
export const CONSTANTS = {
  l1StartBlock: 10,
  l1GenesisTime: 1_000_000,
  slotDuration: 72,
  epochDuration: 16,
  ethereumSlotDuration: 12,
  proofSubmissionEpochs: 1,
  targetCommitteeSize: 0,
  rollupManaLimit: 200_000_000,
};
export const L1_CHAIN_ID = 31337;
export const ROLLUP_VERSION = 77;
export const GENESIS_ARCHIVE = seeded("genesis archive");

/** A field element determined by the text alone. */
export function seeded(text: string): Uint8Array {
  const bytes = new Uint8Array(createHash("sha256").update(text).digest());
  bytes[0] = 0;
  return bytes;
}

/** Emitted fields of a tx's logs. */
export interface TxLogs {
  private?: Uint8Array[];
  public?: { contractAddress: Uint8Array; fields: Uint8Array }[];
  class?: { contractAddress: Uint8Array; fields: Uint8Array };
}

export interface CheckpointPlan {
  number: number;
  slot: number;
  firstBlock: number;
  lastArchive: Uint8Array;
  /** Makes the contents unique. */
  salt: string;
  /** For each block, for each tx, its L2-to-L1 messages. */
  blocks: Uint8Array[][][];
  /** For each block, for each tx, its logs; none where absent. */
  logs?: TxLogs[][];
  /** L1-to-L2 messages of the checkpoint. */
  messages?: Uint8Array[];
  /** Out hashes of the epoch's checkpoints before this one. */
  epochOutHashes?: Uint8Array[];
  /** Archive roots after its blocks; arbitrary ones by default. */
  archives?: Uint8Array[];
  /** One hash for all txs of this plan; unique ones by default. */
  txHash?: Uint8Array;
}

export interface SyntheticCheckpoint {
  number: number;
  slot: number;
  header: Uint8Array;
  archiveRoot: Uint8Array;
  outHash: Uint8Array;
  lastBlock: number;
  blob: Uint8Array;
  versionedHash: Uint8Array;
}

/** A checkpoint that obeys every rule that can be checked on its data alone. The state roots are arbitrary. */
export function synthesize(plan: CheckpointPlan, core: Core): SyntheticCheckpoint {
  const timestamp = slotTimestamp(plan.slot, CONSTANTS);
  const header = new Uint8Array(V4.headers.checkpointBytes);
  header.set(plan.lastArchive, CHECKPOINT_AT.lastArchiveRoot);
  writeUint(header, CHECKPOINT_AT.slotNumber + 26, 6, plan.slot);
  writeUint(header, CHECKPOINT_AT.timestamp + 2, 6, timestamp);
  header.set(seeded(`coinbase ${plan.salt}`).subarray(12), CHECKPOINT_AT.coinbase);
  writeUint(header, CHECKPOINT_AT.feePerL2Gas + 10, 6, 1000);

  const words: Uint8Array[] = [];
  const sponge = core.blobSponge();
  const messageRoot = seeded(`messages ${plan.salt}`);
  const archives = plan.blocks.map((_, i) => plan.archives?.[i] ?? seeded(`archive ${plan.salt} ${plan.number} ${i}`));
  const hashes: Uint8Array[] = [];
  plan.blocks.forEach((txs, i) => {
    const number = plan.firstBlock + i;
    const lastArchive = i === 0 ? plan.lastArchive : archives[i - 1];
    const root = (tree: string) => seeded(`${tree} ${plan.salt} ${number}`);
    const block = txs.flatMap((messages, t) => {
      const txHash = plan.txHash ?? seeded(`tx ${plan.salt} ${number} ${t}`);
      const marker = new Uint8Array(32);
      const logs = plan.logs?.[i]?.[t] ?? {};
      const privateLogs = (logs.private ?? []).flatMap((fields) => [fr(fields.length / 32), fields]);
      const publicLogs = (logs.public ?? []).flatMap((log) => [
        fr(log.fields.length / 32),
        log.contractAddress,
        log.fields,
      ]);
      const classLog = logs.class === undefined ? [] : [logs.class.contractAddress, logs.class.fields];
      const logWords = concat(...privateLogs, ...publicLogs, ...classLog);
      const count = 3 + 1 + messages.length + logWords.length / 32;
      writeU32(marker, 5, 0x9c707518);
      writeUint(marker, 11, 2, 1);
      writeUint(marker, 13, 2, messages.length);
      writeUint(marker, 17, 2, logs.private?.length ?? 0);
      writeUint(marker, 19, 2, concat(...privateLogs).length / 32);
      writeU32(marker, 21, concat(...publicLogs).length / 32);
      writeUint(marker, 25, 2, (logs.class?.fields.length ?? 0) / 32);
      writeU32(marker, 28, count);
      return [marker, txHash, fr(5), seeded(`nullifier ${plan.salt} ${number} ${t}`), ...messages, logWords];
    });
    const end = new Uint8Array(32);
    writeU32(end, 14, 0xeb8dcdbf);
    writeUint(end, 20, 6, timestamp);
    writeU32(end, 26, number);
    writeUint(end, 30, 2, txs.length);
    const sizes = [1024 * plan.number, 64 * number, 128 + 64 * number, 128];
    const state = bigUintBytes(
      (BigInt(sizes[0]) << 172n) |
        (BigInt(sizes[1]) << 130n) |
        (BigInt(sizes[2]) << 88n) |
        (BigInt(sizes[3]) << 48n) |
        9n,
      32,
    );
    const roots = [lastArchive, root("notes"), root("nullifiers"), root("public data")];
    const blockWords = concat(...block, end, state, ...roots, ...(i === 0 ? [messageRoot] : []));
    words.push(blockWords);
    sponge.absorb(blockWords);
    const h = new Uint8Array(BLOCK_HEADER_BYTES);
    [
      [lastArchive, number],
      [messageRoot, sizes[0]],
      [roots[1], sizes[1]],
      [roots[2], sizes[2]],
      [roots[3], sizes[3]],
    ].forEach(([value, size], s) => {
      h.set(value as Uint8Array, s * 36);
      writeU32(h, s * 36 + 32, size as number);
    });
    h.set(sponge.squeeze(), HEADER_AT.spongeBlobHash);
    h.set(fr(L1_CHAIN_ID), HEADER_AT.chainId);
    h.set(fr(ROLLUP_VERSION), HEADER_AT.version);
    writeU32(h, HEADER_AT.blockNumber, number);
    writeU32(h, HEADER_AT.slotNumber, plan.slot);
    writeUint(h, HEADER_AT.timestamp + 2, 6, timestamp);
    h.set(header.subarray(CHECKPOINT_AT.coinbase, CHECKPOINT_AT.totalManaUsed), HEADER_AT.coinbase);
    h.set(fr(5 * txs.length), HEADER_AT.totalFees);
    h.set(fr(9), HEADER_AT.totalManaUsed);
    hashes.push(blockHash(core, h));
  });
  const body = concat(...words);
  const marker = new Uint8Array(32);
  writeU32(marker, 24, 0x8c637443);
  writeU32(marker, 28, body.length / 32 + 1);
  const blob = new Uint8Array(BYTES_PER_BLOB);
  blob.set(concat(body, marker));
  const versionedHash = seeded(`blob ${plan.salt} ${plan.number}`);

  const outHash = checkpointOutHash(plan.blocks);
  header.set(blockHeadersHash(core, hashes, V4.hashing.blockHeaderNodes), CHECKPOINT_AT.blockHeadersHash);
  header.set(blobsHash([versionedHash]), CHECKPOINT_AT.blobsHash);
  header.set(inHash(plan.messages ?? []), CHECKPOINT_AT.inHash);
  header.set(epochOutHash([...(plan.epochOutHashes ?? []), outHash]), CHECKPOINT_AT.epochOutHash);
  header.set(fr(9 * plan.blocks.length), CHECKPOINT_AT.totalManaUsed);
  return {
    number: plan.number,
    slot: plan.slot,
    header,
    archiveRoot: archives.at(-1)!,
    outHash,
    lastBlock: plan.firstBlock + plan.blocks.length - 1,
    blob,
    versionedHash,
  };
}

export function rebuildInput(checkpoint: SyntheticCheckpoint): RebuildInput {
  return {
    checkpointNumber: checkpoint.number,
    header: checkpoint.header,
    archiveRoot: checkpoint.archiveRoot,
    versionedBlobHashes: [checkpoint.versionedHash],
    blobs: checkpoint.blob,
    l1ChainId: L1_CHAIN_ID,
    rollupVersion: ROLLUP_VERSION,
    rollupManaLimit: CONSTANTS.rollupManaLimit,
  };
}

export function proposal(checkpoint: SyntheticCheckpoint, l1: ProposedCheckpoint["l1"]): ProposedCheckpoint {
  return {
    checkpointNumber: checkpoint.number,
    archiveRoot: checkpoint.archiveRoot,
    header: checkpoint.header,
    feeAssetPriceModifier: -3n,
    attestations: [
      { address: new Uint8Array(20).fill(7), signature: undefined },
      { address: new Uint8Array(20), signature: new Uint8Array(65).fill(9) },
    ],
    unusedBits: 0,
    payloadDigest: new Uint8Array(32),
    versionedBlobHashes: [checkpoint.versionedHash],
    blobCommitments: [],
    l1,
    transactionHash: seeded(`l1 tx ${checkpoint.number}`),
  };
}
