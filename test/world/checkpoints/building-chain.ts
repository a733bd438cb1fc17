import { hash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import type { BlockRecord, CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import { CheckpointBuilder } from "../../../src/checkpoints/checkpoint-builder.ts";
import type { BuildServices, CheckpointTerms } from "../../../src/checkpoints/checkpoint-terms.ts";
import type { Core } from "../../../src/core/core.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { readBlobFile } from "../../../src/l1/blobs/file-store-source.ts";
import { HEADER_AT, headerTimestamp } from "../../../src/protocol/block-header.ts";
import { fromHex, readBigUint, readUint } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { epochOfSlot } from "../../../src/protocol/time.ts";
import { RecordedChain } from "../execution/recorded-chain.ts";
import { unpackBlobStore } from "../l1/chain-a.ts";

/** A checkpoint of the recorded chain with its blocks and their txs as clients sent them. */
export interface BuildableCheckpoint {
  record: CheckpointRecord;
  blocks: BlockRecord[];
  txs: HashedTx[][];
}

export const MANA_LIMIT = 200_000_000;

/**
 * The synced recorded chain, and builders for its checkpoints. Builders fail unless they produce the recorded blobs.
 */
export class BuildingChain {
  readonly recorded: RecordedChain;
  readonly build: BuildServices;

  private constructor(core: Core, recorded: RecordedChain) {
    this.recorded = recorded;
    const commitments = recordedCommitments();
    this.build = {
      core,
      generation: V4,
      world: recorded.services.world,
      contracts: recorded.content,
      siloing: new Siloing(core, V4),
      vm: new Vm(V4),
      kzg: {
        commitment: async (blob) => {
          const found = commitments.get(digest(blob));
          if (found === undefined) throw new Error("no such blob was recorded");
          return found;
        },
      },
    };
  }

  static async open(core: Core): Promise<BuildingChain> {
    return new BuildingChain(core, await RecordedChain.open(core));
  }

  remove(): Promise<void> {
    return this.recorded.remove();
  }

  get chain() {
    return this.recorded.services.chain;
  }

  /** The checkpoints that have txs, if all of these were recorded. */
  checkpoints(): BuildableCheckpoint[] {
    const known = new Map(this.recorded.blocks().map(({ number, txs }) => [number, txs]));
    const numbers = Array.from({ length: this.chain.latestCheckpointNumber() }, (_, i) => i + 1);
    return numbers.flatMap((number) => {
      const record = this.chain.checkpoint(number)!;
      const blocks = Array.from({ length: record.blockCount }, (_, i) => this.chain.block(record.startBlock + i)!);
      const txs = blocks.flatMap((block) => {
        const of = known.get(block.number);
        return of === undefined ? [] : [of];
      });
      return txs.length < blocks.length ? [] : [{ record, blocks, txs }];
    });
  }

  /** The terms that the proposer of a recorded checkpoint used. */
  terms({ number, header, startBlock }: CheckpointRecord): CheckpointTerms {
    const first = this.chain.block(startBlock)!.header;
    return {
      checkpointNumber: number,
      parentBlock: startBlock - 1,
      slot: checkpointSlot(header),
      timestamp: Number(headerTimestamp(first)),
      chainId: readUint(first, HEADER_AT.chainId + 26, 6),
      version: readUint(first, HEADER_AT.version + 26, 6),
      coinbase: header.subarray(CHECKPOINT_AT.coinbase, CHECKPOINT_AT.coinbase + 20),
      feeRecipient: header.subarray(CHECKPOINT_AT.feeRecipient, CHECKPOINT_AT.feeRecipient + 32),
      gasFees: {
        feePerDaGas: readBigUint(header, CHECKPOINT_AT.feePerDaGas, 16),
        feePerL2Gas: readBigUint(header, CHECKPOINT_AT.feePerL2Gas, 16),
      },
      limits: { rollupManaLimit: MANA_LIMIT },
    };
  }

  messages(checkpoint: number): Uint8Array[] {
    return messagesOfCheckpoint(this.chain.messages, checkpoint);
  }

  /** Out hashes of the epoch's earlier checkpoints. */
  previousOutHashes({ number, header }: CheckpointRecord): Uint8Array[] {
    const epoch = epochOfSlot(checkpointSlot(header), { epochDuration: this.recorded.workerSetup.epochDuration });
    return this.chain
      .checkpointsOfEpoch(epoch)
      .filter((checkpoint) => checkpoint.number < number)
      .map(({ outHash }) => outHash);
  }

  /** A builder with the state and terms of a recorded checkpoint. */
  start(
    record: CheckpointRecord,
    services: Partial<BuildServices> = {},
    terms: Partial<CheckpointTerms> = {},
  ): Promise<CheckpointBuilder> {
    return CheckpointBuilder.start(
      { ...this.build, ...services },
      { ...this.terms(record), ...terms },
      this.messages(record.number),
      this.previousOutHashes(record),
    );
  }
}

const digest = (blob: Uint8Array) => hash("sha256", blob);

/** Commitment of each recorded blob by its SHA-256. Other blobs have none, so building them fails. */
function recordedCommitments(): Map<string, Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "svc-build-"));
  try {
    unpackBlobStore(folder);
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".data"));
    return new Map(
      names.map((name) => {
        const versionedHash = fromHex(basename(name, ".data"));
        const { data, commitment } = readBlobFile(name, readFileSync(join(folder, name)), versionedHash);
        return [digest(data), commitment];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
