import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configure } from "../../src/config/configuration.ts";
import { partValues } from "../../src/config/part-values.ts";
import { NETWORK_RELEASE } from "../../src/network/network-release.ts";
import { checkVersions, type Watched, watchedVersions } from "../../src/network/version-check.ts";

const FOLLOWED = `0x${"0a".repeat(20)}`;
let folder: string;
let file: string;
let canonical = FOLLOWED;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-versions-"));
  file = join(folder, "networks.json");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function publish(nodeVersion: string | undefined): void {
  const entry = { bootnodes: [], l1ChainId: 7, snapshots: [], registryAddress: `0x${"11".repeat(20)}`, nodeVersion };
  writeFileSync(file, JSON.stringify({ testnet: entry }));
}

function watched(network: "testnet" | "local", rollupVersion: number | "canonical" = "canonical"): Watched[] {
  const reader = {
    identity: { addresses: { rollupAddress: FOLLOWED } } as Parameters<typeof watchedVersions>[1]["identity"],
    canonicalRollup: async () => canonical,
  };
  const values = partValues(
    configure({
      flags: new Map(),
      environment: { NETWORK: network, NETWORK_CONFIG_LOCATION: file, ROLLUP_VERSION: String(rollupVersion) },
    }).values,
  );
  return watchedVersions(values, reader);
}

test("a newer release in the network file and a newer canonical rollup are each told once", async () => {
  const warn = vi.fn();
  const found = async () => Object.fromEntries(warn.mock.calls.map(([{ newest }, text]) => [text, newest]));
  publish(NETWORK_RELEASE);
  const end = checkVersions(watched("testnet"), { warn, debug: () => {} }, 5);
  try {
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(warn).not.toHaveBeenCalled();
    publish("9.9.9");
    canonical = `0x${"0b".repeat(20)}`;
    const both = {
      "a new node version is available: {newest}": "9.9.9",
      "a new rollup version is available: {newest}": canonical,
    };
    await expect.poll(found).toEqual(both);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(warn).toHaveBeenCalledTimes(2);
  } finally {
    end();
  }
});

test("a source that cannot be read is asked again and stops nothing", async () => {
  const [warn, debug] = [vi.fn(), vi.fn()];
  rmSync(file);
  const end = checkVersions(watched("testnet", 5), { warn, debug }, 5);
  try {
    await expect.poll(() => debug.mock.calls.length).toBeGreaterThan(1);
    publish("9.9.9");
    await expect.poll(() => warn.mock.calls.length).toBe(1);
  } finally {
    end();
  }
});

test("a node watches the canonical rollup only where it follows that, and nothing on the local network", () => {
  const names = (list: Watched[]) => list.map(({ name }) => name);
  expect(names(watched("testnet"))).toEqual(["node", "rollup"]);
  expect(names(watched("testnet", 5))).toEqual(["node"]);
  expect(watched("local")).toEqual([]);
});
