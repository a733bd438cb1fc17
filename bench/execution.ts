/**
 * Re-executes the recorded chain's transactions, each block on the state before it:
 *
 *   node bench/execution.ts [--help]
 *
 * Times are CPU time of one thread, medians of the repeats. "cold" has a new VM and new caches for every block, "warm"
 * keeps them from an earlier round. Roots are hashed once per block, in a column of their own.
 */
import { writeFileSync } from "node:fs";
import { loadCore } from "../src/core/load-core.ts";
import { executeTx, type PendingTx } from "../src/execution/execute-tx.ts";
import { Siloing } from "../src/execution/siloing.ts";
import { Vm } from "../src/execution/vm/vm.ts";
import { readU32 } from "../src/protocol/bytes.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import { isForPublic } from "../src/protocol/tx/accumulated-data.ts";
import type { Tx } from "../src/protocol/tx/tx.ts";
import { type RecordedBlock, RecordedChain } from "../test/world/execution/recorded-chain.ts";
import { JSON_FILE, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { median } from "./lib/statistics.ts";

const TRANSFER_IN_PUBLIC = 0x8c9e5472;

const { repeats, json } = scriptOptions("bench/execution.ts", {
  repeats: wholeOption("rounds, whose medians count", 5),
  json: JSON_FILE,
});
const core = loadCore();

const KINDS = ["private", "token transfer", "other public"] as const;
type Kind = (typeof KINDS)[number];

function kindOf({ data, publicFunctionCalldata }: Tx): Kind {
  if (!isForPublic(data)) return "private";
  const isTransfer = publicFunctionCalldata.some(({ values: fields }) => readU32(fields, 28) === TRANSFER_IN_PUBLIC);
  return isTransfer ? "token transfer" : "other public";
}

/** CPU milliseconds. */
class Stopwatch {
  ms = 0;
  time<T>(work: () => T): T {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    this.ms += (user + system) / 1000;
    return result;
  }
}

interface Round {
  execute: Record<Kind, number>;
  apply: number;
  roots: number;
}

/** Executes every block once; `caches` gives the VM and the caches for a block. */
function round(
  chain: RecordedChain,
  blocks: readonly RecordedBlock[],
  caches: () => { vm: Vm; siloing: Siloing },
): Round {
  const execute = { private: new Stopwatch(), "token transfer": new Stopwatch(), "other public": new Stopwatch() };
  const apply = new Stopwatch();
  const roots = new Stopwatch();
  for (const block of blocks) {
    const { vm, siloing } = caches();
    const state = chain.stateBefore(block, siloing);
    for (const tree of [0, 1, 2, 3] as const) state.fork.snapshot(tree);
    for (const tx of block.txs) {
      const pending: PendingTx = execute[kindOf(tx.tx)].time(() => executeTx(vm, state, tx));
      apply.time(() => pending.apply());
    }
    roots.time(() => {
      for (const tree of [0, 1, 2, 3] as const) state.fork.snapshot(tree);
    });
  }
  const byKind = Object.fromEntries(KINDS.map((kind) => [kind, execute[kind].ms])) as Record<Kind, number>;
  return { execute: byKind, apply: apply.ms, roots: roots.ms };
}

const chain = await RecordedChain.open(core);
try {
  const blocks = chain.blocks();
  const txs = blocks.flatMap((block) => block.txs);
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, txs.filter(({ tx }) => kindOf(tx) === kind).length]));
  const shared = { vm: new Vm(V4), siloing: new Siloing(core, V4) };
  const cold = () => ({ vm: new Vm(V4), siloing: new Siloing(core, V4) });
  const warm = () => shared;
  round(chain, blocks, warm);
  const rounds = { cold: [] as Round[], warm: [] as Round[] };
  for (let i = 0; i < repeats; i++) {
    rounds.cold.push(round(chain, blocks, cold));
    rounds.warm.push(round(chain, blocks, warm));
  }
  const rows = (["cold", "warm"] as const).flatMap((caches) => {
    const perTx = (count: number, ms: (of: Round) => number) => median(rounds[caches].map(ms)) / count;
    const row = (name: string, count: number, ms: (of: Round) => number) => {
      const msPerTx = perTx(count, ms);
      return { caches, name, txs: count, msPerTx, txsPerSecond: 1000 / msPerTx };
    };
    return [
      ...KINDS.map((kind) => row(`execute: ${kind}`, counts[kind], ({ execute }) => execute[kind])),
      row("trees: insert", txs.length, ({ apply }) => apply),
      row("trees: roots", txs.length, ({ roots }) => roots),
      row("all", txs.length, ({ execute, apply, roots }) =>
        KINDS.reduce((sum, kind) => sum + execute[kind], apply + roots),
      ),
    ];
  });
  process.stdout.write(`${blocks.length} blocks, ${txs.length} txs\ncaches | work | txs | ms/tx | txs/s\n`);
  for (const { caches, name, txs: count, msPerTx, txsPerSecond } of rows) {
    process.stdout.write(`${[caches, name, count, msPerTx.toFixed(3), txsPerSecond.toFixed(0)].join(" | ")}\n`);
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, undefined, 2)}\n`);
} finally {
  await chain.remove();
}
