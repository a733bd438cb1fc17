import { hash } from "node:crypto";
import { endWords } from "../../../src/checkpoints/block-costs.ts";
import { bigUintBytes, concat } from "../../../src/protocol/bytes.ts";
import {
  FIELDS_PER_BLOB,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
  MAX_CHECKPOINTS_PER_EPOCH,
  MAX_FIELDS_PER_CHECKPOINT,
} from "../../../src/protocol/constants.ts";
import { type Fr, fr } from "../../../src/protocol/field.ts";
import { chance } from "../execution/generated-txs.ts";
import type { PartPlan } from "../execution/tx-builder.ts";
import type { MadeCall, MadeCheckpoint, MadeTx } from "./made-chain.ts";

/** Words of a class log of which two take more than a blob. */
const LONG_CLASS_LOG = 3000;
/** Words of the longest class log, and those that its transaction has besides. */
const MAX_CLASS_LOG = 3023;
const BESIDE_CLASS_LOG = 7;
const CHECKPOINTS_PER_EPOCH = 5;

/** Makes plans whose nullifiers occur once. */
class Planner {
  readonly #chance: () => number;
  #next: number;

  constructor(seed: number) {
    this.#chance = chance(seed);
    this.#next = seed * 1000;
  }

  below(n: number): number {
    return Math.floor(this.#chance() * n);
  }
  from(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  fields(count: number): Fr[] {
    return Array.from({ length: count }, () => bigUintBytes(BigInt(1 + this.below(2 ** 31)) ** 8n, 32));
  }

  nullifiers(count: number): Fr[] {
    return Array.from({ length: count }, () => fr(this.#next++));
  }

  part({ nullifiers = 1, noteHashes = 0, messages = 0, logs = 0, classLog = 0 } = {}): PartPlan {
    return {
      nullifiers: this.nullifiers(nullifiers),
      noteHashes: this.fields(noteHashes),
      l2ToL1Msgs: this.fields(messages).map((content) => ({
        ...{ content, contractAddress: fr(99), recipient: content.slice(12) },
      })),
      privateLogs: Array.from({ length: logs }, () => concat(...this.fields(this.from(1, 16)))),
      ...(classLog > 0 && { classLog: concat(...this.fields(classLog)) }),
    };
  }

  privateTx(most = 5): MadeTx {
    return {
      nonRevertible: this.part({
        nullifiers: this.from(1, most),
        noteHashes: this.below(most),
        messages: this.below(Math.min(most, 8)),
        logs: this.below(most),
      }),
    };
  }

  call(to: MadeCall["to"] = "writer"): MadeCall {
    const [value, noteHash, content, first, second] = this.fields(5);
    const [nullifier] = this.nullifiers(1);
    return { to, words: [value, fr(this.below(4)), noteHash, nullifier, fr(0x1234), content, first, second] };
  }

  /** With calls in all phases. */
  publicTx(app: MadeCall["to"]): MadeTx {
    return {
      nonRevertible: this.part({ nullifiers: this.from(1, 3), noteHashes: this.below(3), logs: this.below(3) }),
      revertible: this.part({ nullifiers: this.from(1, 3), noteHashes: this.below(3), messages: this.below(3) }),
      setup: [this.call()],
      app: [this.call(), this.call(app)],
      teardown: this.call(),
    };
  }

  anyTx(): MadeTx {
    const kind = this.below(3);
    return kind < 2 ? this.privateTx() : { nonRevertible: this.part(), app: [this.call()] };
  }

  txs(count: number): MadeTx[] {
    return Array.from({ length: count }, () => this.anyTx());
  }

  classTx(words: number): MadeTx {
    return { nonRevertible: this.part({ classLog: words }) };
  }
}

type Kind = (plan: Planner) => MadeCheckpoint;

/** Every variant of block root and checkpoint root, merges of each kind, and effects of each kind. */
const KINDS: readonly Kind[] = [
  () => ({ messages: [], blocks: [[]] }),
  (plan) => ({ messages: plan.fields(plan.from(1, 9)), blocks: [[]] }),
  (plan) => ({ messages: [], blocks: [[plan.privateTx()]] }),
  (plan) => ({ messages: [], blocks: [[plan.privateTx(), plan.privateTx()], [plan.privateTx()]] }),
  (plan) => ({ messages: [], blocks: [[{ nonRevertible: plan.part(), app: [plan.call()] }]] }),
  (plan) => ({ messages: plan.fields(plan.from(1, 300)), blocks: [[], plan.txs(1), plan.txs(2)] }),
  (plan) => ({ messages: [], blocks: [[plan.publicTx("writer"), plan.publicTx("reverter")]] }),
  (plan) => ({ messages: [], blocks: [[plan.classTx(LONG_CLASS_LOG)], [plan.classTx(plan.from(10, LONG_CLASS_LOG))]] }),
  (plan) => ({
    messages: [],
    blocks: [[{ nonRevertible: plan.part({ nullifiers: 64, noteHashes: 64, messages: 8, logs: 64 }) }]],
  }),
  (plan) => ({ messages: [], blocks: [plan.txs(3), plan.txs(1), plan.txs(1), plan.txs(2)] }),
];

/** Epochs of made checkpoints, the same each time. The first two have a checkpoint of every kind. */
export function madeEpochs(checkpoints: number): MadeCheckpoint[][] {
  const all = Array.from({ length: checkpoints }, (_, i) => KINDS[i % KINDS.length](new Planner(i + 1)));
  return Array.from({ length: Math.ceil(checkpoints / CHECKPOINTS_PER_EPOCH) }, (_, i) =>
    all.slice(i * CHECKPOINTS_PER_EPOCH, (i + 1) * CHECKPOINTS_PER_EPOCH),
  );
}

/** A checkpoint of one block whose blobs have exactly `words` words. */
function ofWords(plan: Planner, words: number): MadeCheckpoint {
  const txs: MadeTx[] = [];
  let left = words - endWords(1);
  while (left > MAX_CLASS_LOG + BESIDE_CLASS_LOG) {
    txs.push(plan.classTx(MAX_CLASS_LOG));
    left -= MAX_CLASS_LOG + BESIDE_CLASS_LOG;
  }
  return { messages: [], blocks: [[...txs, plan.classTx(left - BESIDE_CLASS_LOG)]] };
}

/** Checkpoints at each limit: words of blobs, messages, blocks, checkpoints of an epoch. */
const LARGE_KINDS: readonly (readonly Kind[])[] = [
  [
    (plan) => ofWords(plan, FIELDS_PER_BLOB),
    (plan) => ofWords(plan, FIELDS_PER_BLOB + 1),
    (plan) => ofWords(plan, MAX_FIELDS_PER_CHECKPOINT),
    (plan) => ({ messages: plan.fields(L1_TO_L2_MESSAGES_PER_CHECKPOINT), blocks: [[], plan.txs(7), plan.txs(1)] }),
  ],
  [(plan) => ({ messages: [], blocks: [[], ...Array.from({ length: 23 }, (_, i) => plan.txs(i === 11 ? 4 : 1))] })],
  Array.from({ length: MAX_CHECKPOINTS_PER_EPOCH }, () => () => ({ messages: [], blocks: [[]] })),
];

/** Epochs of the largest checkpoints, to follow `before` others. */
export function largeEpochs(before: number): MadeCheckpoint[][] {
  let seed = before;
  return LARGE_KINDS.map((kinds) => kinds.map((kind) => kind(new Planner(++seed))));
}

/** Epochs of which test/fixtures/v5/circuit-outputs.txt has what the published circuits returned. */
export const RECORDED_EPOCHS = 2;

/** A line of that file: a job's type, and digests of the field elements that its circuit takes and returns. */
export function jobDigest(type: string, inputs: Uint8Array, returned: Uint8Array): string {
  return `${type} ${digest(inputs)} ${digest(returned)}`;
}

function digest(bytes: Uint8Array): string {
  return hash("sha256", bytes).slice(0, 32);
}
