import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { examine } from "../../../src/cli/doctor/run-doctor.ts";
import { configure } from "../../../src/config/configuration.ts";
import { type PartValues, partValues } from "../../../src/config/part-values.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { openBlobSources } from "../../../src/node/chain/blobs.ts";
import { dutyRpc } from "../../../src/node/chain/duty-rpc.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type HttpFake, httpFake } from "../../world/l1/http-fake.ts";

const CHAIN_ID = 31337;
const { signal } = new AbortController();
const message = (error: Error): string => error.message;

let silent: HttpFake;
/** A consensus client that answers, and has nothing. */
let beacon: HttpFake;
let folder: string;
beforeAll(async () => {
  [silent, beacon] = await Promise.all([httpFake(() => "silence"), httpFake(() => ({ json: { data: {} } }))]);
  folder = mkdtempSync(join(tmpdir(), "svc-timeouts-"));
});
afterAll(async () => {
  await Promise.all([silent?.close(), beacon?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

function configured(environment: Record<string, string>) {
  const given = { L1_CHAIN_ID: String(CHAIN_ID), ETHEREUM_HOSTS: silent.url, ...environment };
  return configure({ flags: new Map([["--node", "true"]]), environment: given, homeDirectory: folder });
}

const partsOf = (environment: Record<string, string>) => partValues(configured(environment).values);

/** Why the blobs of an L1 block cannot be had. */
async function blobFailure(values: PartValues): Promise<string> {
  const addresses = { rollupAddress: `0x${"0a".repeat(20)}` } as RollupIdentity["addresses"];
  const identity = { l1ChainId: CHAIN_ID, rollupVersion: 1, addresses } as RollupIdentity;
  const blobs = await openBlobSources(values, identity, silentLogger, { start: signal, l1: signal });
  const l1Block = { number: 20, hash: new Uint8Array(32).fill(0xb1), timestamp: 1_795_228_641 };
  try {
    const fetched = blobs.fetch(l1Block, [new Uint8Array(32).fill(1)], { historical: true });
    return await fetched.then(() => "", message);
  } finally {
    await blobs.close();
  }
}

const L1_USERS: [string, () => Promise<string>][] = [
  [
    "a publisher of checkpoints or proofs, and a slasher",
    async () => {
      const options = { values: partsOf({ ETHEREUM_HTTP_TIMEOUT_MS: "40" }).l1, chainId: CHAIN_ID };
      const call = { method: "eth_gasPrice", params: [], parse: String };
      return dutyRpc({ ...options, signal, logger: silentLogger })
        .request(call)
        .then(() => "", message);
    },
  ],
  [
    "a source of blobs",
    () => blobFailure(partsOf({ ETHEREUM_HTTP_TIMEOUT_MS: "40", L1_CONSENSUS_HOST_URLS: beacon.url })),
  ],
];
test.each(L1_USERS)("%s gives up an L1 request after ETHEREUM_HTTP_TIMEOUT_MS", async (_, ask) => {
  expect(await ask()).toContain("no complete answer within 40 ms");
});

test("svc doctor gives up each L1 request after ETHEREUM_HTTP_TIMEOUT_MS", async () => {
  const registry = `0x${"0b".repeat(20)}`;
  const given = configured({ ETHEREUM_HTTP_TIMEOUT_MS: "40", REGISTRY_CONTRACT_ADDRESS: registry });
  const failed = (await examine(given, Date.now)).filter(({ verdict }) => verdict === "fail");
  const about = (check: string) => failed.filter((finding) => finding.check === check).map(({ text }) => text);
  for (const check of ["L1", "rollup"]) {
    expect(about(check)).toEqual([expect.stringContaining("no complete answer within 40 ms")]);
  }
});

test("a file store of blobs that hangs is given up after BLOB_FILE_STORE_TIMEOUT_MS", async () => {
  const environment = {
    BLOB_FILE_STORE_URLS: silent.url,
    BLOB_FILE_STORE_TIMEOUT_MS: "40",
    BLOB_ALLOW_EMPTY_SOURCES: "true",
  };
  expect(await blobFailure(partsOf(environment))).toMatch(/\b40 ms/);
});
