import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readyToContinue } from "../../src/devnet/continued.ts";
import { type DeployedDevnet, DevnetFolder } from "../../src/devnet/folder.ts";
import { makeValidatorKeys } from "../../src/devnet/keys.ts";

const DEPLOYED = {} as DeployedDevnet;
const NAMES = ["validator-1", "own-1"];

let folder: DevnetFolder;

beforeEach(() => {
  folder = new DevnetFolder(mkdtempSync(join(tmpdir(), "svc-devnet-continued-")));
  for (const name of NAMES) writeKeys(name);
  writeFileSync(folder.l1State, "{}");
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

function writeKeys(name: string): void {
  mkdirSync(folder.keys(name), { recursive: true });
  writeFileSync(join(folder.keys(name), "key1.json"), "{}");
}

test("a deployed network is continued with its chain and its keys", () => {
  readyToContinue(folder, { deployed: DEPLOYED }, NAMES);
  expect(existsSync(folder.l1State)).toBe(true);
});

test("a deployed network whose chain was not saved is refused: its stores and signatures are of that chain", () => {
  rmSync(folder.l1State);
  expect(() => readyToContinue(folder, { deployed: DEPLOYED }, NAMES)).toThrow(
    `the L1 chain of the network in ${folder.path} was not saved when it ended (${folder.l1State} is missing)`,
  );
});

test("a deployed network is refused without one of its keys, and the others stay", () => {
  rmSync(folder.keys("own-1"), { recursive: true });
  expect(() => readyToContinue(folder, { deployed: DEPLOYED }, NAMES)).toThrow(
    `has no keys of own-1, which its contracts know: restore ${folder.keys("own-1")}, or remove the folder`,
  );
  expect(existsSync(folder.keys("validator-1"))).toBe(true);
});

test("what a deployment that did not end left is removed: its chain, and the file with all keys", async () => {
  writeKeys("all");
  readyToContinue(folder, { deployed: undefined }, NAMES);
  await makeValidatorKeys(NAMES, folder, ["no program is run"]);
  expect(existsSync(folder.l1State)).toBe(false);
  expect(existsSync(folder.keys("all"))).toBe(false);
});
