import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectRollup } from "../../../src/l1/connect.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { type Anvil, startAnvil } from "../../world/l1/chain-a.ts";

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
  const reader = await connectRollup({
    l1RpcUrls: [anvil.url],
    l1ChainId: 31337,
    registryAddress: network.l1Contracts.registryAddress,
    ethereumSlotDuration: 4,
  });
  const attesters = (await reader.attesters()).map(toHex).sort();
  const [, ...remaining] = network.validators.map(({ address }) => address.toLowerCase());
  expect(attesters).toEqual(remaining.sort());
});
