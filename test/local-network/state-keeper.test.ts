import { appendFileSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAnvil } from "../../src/local-network/anvil.ts";
import { DevelopmentL1 } from "../../src/local-network/development-l1.ts";
import { startLastingAnvil } from "../../src/local-network/lasting-anvil.ts";
import { StateKeeper } from "../../src/local-network/state-keeper.ts";
import type { NodeLogger } from "../../src/process/logging/logging.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { call } from "../world/local-network/network-process.ts";
import { l1Process } from "./support/l1-process.ts";

const INTERVAL = 12;
const MNEMONIC = "test test test test test test test test test test test junk";
const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const CONTRACT = "0x00000000000000000000000000000000000000c0";
const SLOT = new Uint8Array(32).fill(7);
const word = (last: number) => new Uint8Array(32).fill(last, 31);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-state-keeper-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Kept {
  l1: DevelopmentL1;
  keeper: StateKeeper;
  restored: boolean;
  lines: string[];
}

const files = (name: string) => ({ stateFile: join(folder, `${name}.json`), journal: join(folder, `${name}-journal`) });

async function withKept(name: string, use: (kept: Kept) => Promise<void>): Promise<void> {
  const { signal } = new AbortController();
  const { stateFile, journal } = files(name);
  const anvil = await startAnvil({ port: 0, mnemonic: MNEMONIC, chainId: 31337, stateFile, signal });
  const lines: string[] = [];
  const write = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
  const log = { debug: write, info: write, warn: write, error: write } as unknown as NodeLogger;
  const l1 = new DevelopmentL1(anvil.url, signal, silentLogger);
  const l1At = (url: string) => new DevelopmentL1(url, signal, silentLogger, []);
  const keeper = new StateKeeper({
    l1: l1At(anvil.url),
    l1At,
    stateFile,
    journal,
    log,
  });
  l1.onStorageSet = (...set) => keeper.storageSet(...set);
  try {
    if (anvil.restored) await keeper.restore(INTERVAL);
    await use({ l1, keeper, restored: anvil.restored, lines });
  } finally {
    await keeper.stop();
    await anvil.stop();
  }
}

/** Mines a block with one transfer. */
async function transfer(l1: DevelopmentL1, from = ACCOUNT): Promise<void> {
  const before = await l1.height();
  await call(l1.url, "eth_sendTransaction", { from, to: CONTRACT, value: "0x1" });
  await expect.poll(() => l1.height(), { timeout: 120_000, interval: 5 }).toBe(before + 1);
}

async function journalReaches(name: string, block: number): Promise<void> {
  const { journal } = files(name);
  const text = () =>
    readdirSync(journal)
      .map((segment) => readFileSync(join(journal, segment), "utf8"))
      .join("");
  await expect.poll(text, { timeout: 120_000, interval: 20 }).toContain(`"number":${block},`);
}

/** Number, time and signed transactions of each block from `first` on. */
async function blocksFrom(l1: DevelopmentL1, first: number, last: number) {
  const blocks = await Promise.all(Array.from({ length: last - first + 1 }, (_, i) => l1.fullBlock(first + i)));
  return blocks.map(({ number, timestamp, transactions }) => ({ number, timestamp, transactions }));
}

test("an L1 started from an older copy replays its journal, with the state set in between", async () => {
  const older = join(folder, "older.json");
  let first = 0;
  let last = 0;
  let before: unknown;
  await withKept("replayed", async ({ l1, keeper }) => {
    await l1.setBlockInterval(INTERVAL);
    await transfer(l1);
    await keeper.copy();
    copyFileSync(files("replayed").stateFile, older);
    first = (await l1.height()) + 1;
    for (let i = 0; i < 3; i++) await transfer(l1);
    await l1.setStorage(CONTRACT, SLOT, word(1));
    await l1.mineAt((await l1.latest()).timestamp + 100);
    await transfer(l1);
    await l1.setStorage(CONTRACT, SLOT, word(2));
    await l1.mineAt((await l1.latest()).timestamp + 7);
    last = await l1.height();
    await journalReaches("replayed", last);
    before = await blocksFrom(l1, first, last);
  });
  const { journal, stateFile } = files("replayed");
  const [segment] = readdirSync(journal);
  // A record cut off by a kill.
  appendFileSync(join(journal, segment), `{"block":{"num`);
  for (let kill = 0; kill < 2; kill++) {
    copyFileSync(older, stateFile);
    await withKept("replayed", async ({ l1, restored, lines }) => {
      expect(restored).toBe(true);
      expect(lines.join("\n")).toContain("restored L1 from its last copy and its journal");
      expect(await blocksFrom(l1, first, last)).toEqual(before);
      expect(await l1.storage(CONTRACT, SLOT)).toEqual(word(2));
      // Each restart mines one more block.
      expect(await l1.height()).toBe(last + 1 + kill);
      await journalReaches("replayed", last + 1 + kill);
    });
  }
});

test("a journal that cannot be replayed is dropped with a warning and replaced by a copy", async () => {
  const { stateFile } = files("by-hand");
  const older = join(folder, "by-hand-older.json");
  const poor = "0x00000000000000000000000000000000000000aa";
  let reached = 0;
  await withKept("by-hand", async ({ l1, keeper }) => {
    await l1.setBlockInterval(INTERVAL);
    await keeper.copy();
    copyFileSync(stateFile, older);
    await transfer(l1);
    reached = await l1.height();
    await l1.setBalance(poor, 10n ** 18n);
    await call(l1.url, "anvil_impersonateAccount", poor);
    await transfer(l1, poor);
    await journalReaches("by-hand", await l1.height());
  });
  copyFileSync(older, stateFile);
  await withKept("by-hand", async ({ l1, lines }) => {
    expect(lines.join("\n")).toContain(`L1 could not be restored completely`);
    expect(await l1.height()).toBe(reached + 1);
    await transfer(l1);
    await expect.poll(() => lines.join("\n"), { timeout: 120_000 }).toContain("saved a copy of L1's state");
  });
});

test("after a rollback of L1 by hand a copy is made at once, and the journal starts anew", async () => {
  await withKept("taken-back", async ({ l1, keeper, lines }) => {
    await l1.setBlockInterval(INTERVAL);
    await keeper.copy();
    const kept = () => lines.filter((line) => line.startsWith("saved a copy of L1's state")).length;
    expect(kept()).toBe(1);
    for (let i = 0; i < 3; i++) await transfer(l1);
    await journalReaches("taken-back", await l1.height());
    await call(l1.url, "anvil_rollback", 2);
    await expect.poll(kept, { timeout: 120_000 }).toBe(2);
  });
});

test("blocks that evm_revert removed are not replayed by a later start", async () => {
  const { stateFile } = files("reverted");
  const copy = join(folder, "reverted-copy.json");
  let height = 0;
  await withKept("reverted", async ({ l1, keeper, lines }) => {
    await l1.setBlockInterval(INTERVAL);
    await transfer(l1);
    await keeper.copy();
    height = await l1.height();
    const id = await l1.snapshot();
    for (let i = 0; i < 3; i++) await transfer(l1);
    await journalReaches("reverted", height + 3);
    // The height is that of the first copy again.
    expect(await l1.revert(id)).toBe(true);
    const copies = () => lines.filter((line) => line.startsWith("saved a copy of L1's state")).length;
    await expect.poll(copies, { timeout: 120_000 }).toBe(2);
    copyFileSync(stateFile, copy);
    await transfer(l1);
    await journalReaches("reverted", height + 1);
  });
  // As if L1 had been killed: its last state is the copy, and the journal.
  copyFileSync(copy, stateFile);
  await withKept("reverted", async ({ l1, lines }) => {
    expect(lines.join("\n")).not.toContain("could not be restored");
    // The restored block, and the one with which a restored L1 begins.
    expect(await l1.height()).toBe(height + 2);
  });
});

test("a killed L1 answers on its port again only once it is fully restored", async () => {
  const { stateFile, journal } = files("restarted");
  const { signal } = new AbortController();
  const lines: string[] = [];
  const write = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
  const log = { debug: write, info: write, warn: write, error: write } as unknown as NodeLogger;
  const lost: unknown[] = [];
  const anvil = await startLastingAnvil({
    ...{ port: 0, mnemonic: MNEMONIC, chainId: 31337, stateFile, signal, log },
    restart: (starts) => keeper.restart(INTERVAL, starts),
    lost: (error) => lost.push(error),
  });
  const l1At = (url: string) => new DevelopmentL1(url, signal, silentLogger, []);
  const l1 = l1At(anvil.url);
  const keeper = new StateKeeper({ l1, l1At, stateFile, journal, log });
  try {
    await l1.setBlockInterval(INTERVAL);
    await transfer(l1);
    await keeper.copy();
    const first = (await l1.height()) + 1;
    for (let i = 0; i < 20; i++) await transfer(l1);
    const last = await l1.height();
    await journalReaches("restarted", last);
    const before = await blocksFrom(l1, first, last);
    process.kill(l1Process(stateFile), "SIGKILL");
    const heights = new Set<number>();
    while (!lines.some((line) => line.startsWith("L1 is running again"))) {
      expect(lost).toEqual([]);
      await l1.height().then(
        (height) => heights.add(height),
        () => {},
      );
      await sleep(2);
    }
    for (const height of heights) expect(height).toBeGreaterThanOrEqual(last);
    expect(await l1.height()).toBe(last + 1);
    expect(await l1.mining()).toBe(true);
    expect(await blocksFrom(l1, first, last)).toEqual(before);
    await transfer(l1);
  } finally {
    await keeper.stop();
    await anvil.stop();
  }
});
