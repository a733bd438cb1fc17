import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  cancelSwap,
  commitSwap,
  finishStateSwap,
  NODE_STATE,
  removeLeftovers,
  WHOLE_STATE,
} from "../../src/local-network/state-swap.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-state-swap-"));
  fill(directory, "old", WHOLE_STATE);
  writeFileSync(join(directory, "svc.lock"), "lock");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const isFolder = (name: string) => !name.includes(".");

function fill(folder: string, content: string, names: readonly string[]): void {
  for (const name of names) {
    if (isFolder(name)) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, isFolder(name) ? `${name}/data.mdb` : name), content);
  }
}

/** A new state without l1-tx-utils and l1-journal. */
const NEW = ["chain", "pool", "l1-state.json", "l1-contracts.json"];

function newState(): string {
  const folder = join(directory, "state-part-x");
  fill(folder, "new", ["chain"]);
  fill(folder, "new", NEW);
  return folder;
}

/** Content of each member of the state. */
function state(): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name !== "svc.lock");
  return Object.fromEntries(
    names.sort().map((name) => {
      const file = join(directory, isFolder(name) ? `${name}/data.mdb` : name);
      return [name, existsSync(file) ? readFileSync(file, "utf8") : "nothing"];
    }),
  );
}

const ALL_NEW = Object.fromEntries([...NEW].sort().map((name) => [name, "new"]));

test("a committed swap replaces every name of the state, also those that the new state does not have", () => {
  commitSwap(directory, newState(), WHOLE_STATE);
  finishStateSwap(directory);
  expect(state()).toEqual(ALL_NEW);
  expect(existsSync(join(directory, "svc.lock"))).toBe(true);
});

test("a swap that is killed after any number of its steps ends with the new state at the next start", () => {
  for (let removed = 0; removed <= WHOLE_STATE.length; removed++) {
    commitSwap(directory, newState(), WHOLE_STATE);
    for (const name of WHOLE_STATE.slice(0, removed)) rmSync(join(directory, name), { recursive: true, force: true });
    finishStateSwap(directory);
    expect(state()).toEqual(ALL_NEW);
  }
  for (let moved = 0; moved <= NEW.length; moved++) {
    commitSwap(directory, newState(), WHOLE_STATE);
    for (const name of WHOLE_STATE) rmSync(join(directory, name), { recursive: true, force: true });
    const placed = join(directory, "state-placed");
    renameSync(join(directory, "state-next"), placed);
    for (const name of NEW.slice(0, moved)) renameSync(join(placed, name), join(directory, name));
    // As a start does before it looks for a swap.
    mkdirSync(join(directory, "chain"), { recursive: true });
    finishStateSwap(directory);
    expect(state()).toEqual(ALL_NEW);
  }
});

test("before it is committed, or after it is cancelled, the old state stays", () => {
  const folder = newState();
  commitSwap(directory, folder, NODE_STATE);
  cancelSwap(directory, folder);
  finishStateSwap(directory);
  removeLeftovers(directory);
  expect(state()).toEqual(Object.fromEntries([...WHOLE_STATE].sort().map((name) => [name, "old"])));
});

test("a swap of the node's state leaves that of L1", () => {
  commitSwap(directory, newState(), NODE_STATE);
  finishStateSwap(directory);
  const { "l1-state.json": l1, chain, pool, ...rest } = state();
  expect([l1, chain, pool]).toEqual(["old", "new", "new"]);
  expect(rest).toEqual({ "l1-contracts.json": "old", "l1-journal": "old" });
});
