import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { toFunctionSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { type Anvil, startAnvil } from "../../world/l1/chain-a.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";

const fixture = (name: string) => join(import.meta.dirname, "../../fixtures/p2p", name);

let folder: string;
let anvil: Anvil;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-attesters-"));
  const state = join(folder, "l1-state.json");
  writeFileSync(state, gunzipSync(readFileSync(fixture("l1-state.json.gz"))));
  anvil = await startAnvil(["--load-state", state]);
});
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("the registered attesters of a recorded network are its validators but the one that was slashed out", async () => {
  const network = JSON.parse(readFileSync(fixture("network.json"), "utf8")) as {
    l1Contracts: { registryAddress: string };
    validators: { index: number; address: string }[];
  };
  const l1 = await LyingL1.inFrontOf(anvil.url);
  const reader = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: network.l1Contracts.registryAddress,
    ethereumSlotDuration: 4,
  });
  const attesters = (await reader.attesters()).map(toHex).sort();
  const [, ...remaining] = network.validators.map(({ address }) => address.toLowerCase());
  expect(attesters).toEqual(remaining.sort());

  // As if the number came from the state after the block that was asked for, where there is one more.
  const selector = toFunctionSelector("function getActiveAttesterCount()");
  l1.lie = {
    answer: ({ params: [call] }, truth) => {
      if ((call as { data?: string } | undefined)?.data !== selector) return undefined;
      l1.lie = undefined;
      return { ...truth, result: toHex(concat(new Uint8Array(31), Uint8Array.of(remaining.length + 1))) };
    },
  };
  expect((await reader.attesters()).map(toHex).sort()).toEqual(attesters);
  expect(l1.lies).toBe(1);
  await l1.close();
});
