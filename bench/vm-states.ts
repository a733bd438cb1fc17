import { createHash } from "node:crypto";
import { siloNullifier } from "../src/core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../src/core/derive/public-storage.ts";
import { BlockState } from "../src/execution/block-state.ts";
import { executeTx } from "../src/execution/execute-tx.ts";
import { phaseRevertCode } from "../src/execution/phase-revert-code.ts";
import { Siloing } from "../src/execution/siloing.ts";
import { Vm } from "../src/execution/vm/vm.ts";
import { toHex } from "../src/protocol/bytes.ts";
import { FR_ZERO } from "../src/protocol/field.ts";
import type { Generation } from "../src/protocol/generations/generation.ts";
import type { Fork } from "../src/world-state/fork.ts";
import { type NativeResult, snapshot } from "../test/execution/live/native-result.ts";
import { NativeVm } from "../test/execution/live/native-vm.ts";
import { core, field, type GivenTx, GLOBALS, hashed, sourceOf, txOf } from "../test/world/execution/avm-vectors.ts";
import { decode } from "../test/world/world-state/native-codec.ts";
import { apply, makeBlock, type OpenState, openState, type TxParts } from "../test/world/world-state/open-state.ts";

const TREES = [0, 1, 2, 3] as const;
const FILLED_BLOCKS = 32;
const NULLIFIERS_PER_BLOCK = 64;
const WRITES_PER_BLOCK = 63;

/** CPU time of a transaction, and what both sides must agree on. */
export interface Execution {
  /** CPU milliseconds, of all threads. */
  readonly ms: number;
  readonly gas: number;
  readonly revertCode: number;
  /** Roots and sizes after it. */
  readonly trees: string;
}

/** Executes a transaction on a fork that nobody has read from, or again on one that it was executed on before. */
export interface Side {
  cold(given: GivenTx): Promise<Execution>;
  warm(given: GivenTx): Promise<Execution>;
  close(): Promise<void>;
}

async function cpuMs<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, result };
}

function madeField(name: string): Uint8Array {
  const bytes = createHash("sha256").update(name).digest();
  bytes[0] &= 0x1f;
  return new Uint8Array(bytes);
}

/** Blocks of nullifiers and slots; the first has what the programs need. */
function* blocks(programs: readonly GivenTx[], generation: Generation): Generator<Required<TxParts>> {
  const { instanceRegistry, feeJuice } = generation.contracts;
  const addresses = [...new Set(programs.flatMap(({ contracts }) => contracts.map(({ address }) => address)))];
  const payer = field(programs[0].tx.feePayer);
  yield {
    noteHashes: [],
    nullifiers: addresses.map((address) => siloNullifier(core, instanceRegistry, field(address))),
    publicDataWrites: [
      {
        leafSlot: publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, payer)),
        value: field(programs[0].pre.feePayerBalance ?? "0x0"),
      },
    ],
  };
  for (let block = 1; block < FILLED_BLOCKS; block++) {
    yield {
      noteHashes: [],
      nullifiers: Array.from({ length: NULLIFIERS_PER_BLOCK }, (_, i) => madeField(`nullifier ${block} ${i}`)),
      publicDataWrites: Array.from({ length: WRITES_PER_BLOCK }, (_, i) => ({
        leafSlot: madeField(`slot ${block} ${i}`),
        value: madeField(`value ${block} ${i}`),
      })),
    };
  }
}

class Ours implements Side {
  readonly #generation: Generation;
  readonly #open: OpenState;
  readonly #warm: { vm: Vm; siloing: Siloing; fork: Fork };

  constructor(generation: Generation, open: OpenState) {
    this.#generation = generation;
    this.#open = open;
    this.#warm = { vm: new Vm(generation), siloing: new Siloing(core, generation), fork: open.state.fork() };
    this.#warm.fork.openFrame();
  }

  cold(given: GivenTx): Promise<Execution> {
    const fork = this.#open.state.fork();
    return this.#execute(given, fork, () => ({
      vm: new Vm(this.#generation),
      siloing: new Siloing(core, this.#generation),
    }));
  }

  async warm(given: GivenTx): Promise<Execution> {
    const { fork } = this.#warm;
    try {
      return await this.#execute(given, fork, () => this.#warm);
    } finally {
      fork.revertFramesTo(0);
      fork.openFrame();
    }
  }

  async #execute(given: GivenTx, fork: Fork, caches: () => { vm: Vm; siloing: Siloing }): Promise<Execution> {
    const tx = hashed(txOf(given, this.#generation));
    const contracts = sourceOf(given.contracts);
    const { ms, result } = await cpuMs(() => {
      const { vm, siloing } = caches();
      const state = new BlockState({ core, fork, globals: GLOBALS, contracts, siloing });
      const pending = executeTx(vm, state, tx);
      pending.apply();
      const trees = TREES.map((tree) => fork.snapshot(tree));
      return { executed: pending.executed, trees };
    });
    return {
      ms,
      gas: result.executed.gasUsed.publicGas.l2Gas,
      revertCode: phaseRevertCode(result.executed),
      trees: result.trees.map(({ root, size }) => `${toHex(root)} ${size}`).join(),
    };
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}

class Theirs implements Side {
  readonly #generation: Generation;
  readonly #native: NativeVm;
  #warmFork: number | undefined;

  constructor(generation: Generation, native: NativeVm) {
    this.#generation = generation;
    this.#native = native;
  }

  async cold(given: GivenTx): Promise<Execution> {
    const fork = await this.#native.world.fork();
    try {
      return await this.#execute(given, fork);
    } finally {
      await this.#native.world.deleteFork(fork);
    }
  }

  async warm(given: GivenTx): Promise<Execution> {
    this.#warmFork ??= await this.#native.world.fork();
    await this.#native.world.checkpoint(this.#warmFork);
    try {
      return await this.#execute(given, this.#warmFork);
    } finally {
      await this.#native.world.revert(this.#warmFork);
    }
  }

  async #execute(given: GivenTx, fork: number): Promise<Execution> {
    const simulate = this.#native.simulation(fork, given, txOf(given, this.#generation), {
      calls: false,
      debugLogs: false,
    });
    const { ms, result } = await cpuMs(simulate);
    const { gasUsed, revertCode } = decode(result) as NativeResult;
    const state = await this.#native.world.trees(fork);
    const trees = TREES.map((tree) => snapshot(state, tree).join(" ")).join();
    return { ms, gas: gasUsed.publicGas.l2Gas, revertCode, trees };
  }

  close(): Promise<void> {
    return this.#native.close();
  }
}

/**
 * Both sides on stores on disk with the same blocks: contracts and balance of the programs, and 2,000 nullifiers and
 * slots. Without the folder of an installed @aztec/bb.js there is only ours.
 */
export async function openSides(
  programs: readonly GivenTx[],
  generation: Generation,
  installed: string | undefined,
): Promise<{ ours: Side; theirs?: Side }> {
  const open = openState([], undefined, undefined, generation);
  const native = installed === undefined ? undefined : new NativeVm(installed, generation);
  for (const parts of blocks(programs, generation)) {
    const block = makeBlock(open.state, [parts], [FR_ZERO]);
    await apply(open, [block]);
    await native?.world.syncBlock(block, parts);
  }
  return { ours: new Ours(generation, open), ...(native && { theirs: new Theirs(generation, native) }) };
}
