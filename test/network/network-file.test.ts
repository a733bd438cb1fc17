import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseNetworkFile } from "../../src/config/network-entry.ts";
import { configureForNetwork, NetworkFileError, readNetworkFile } from "../../src/network/network-file.ts";

const REGISTRY = `0x${"11".repeat(20)}`;
const entry = {
  bootnodes: ["enr:-aa", "enr:-bb"],
  l1ChainId: 7,
  snapshots: ["https://snapshots.example/a/"],
  registryAddress: REGISTRY,
  feeAssetHandlerAddress: `0x${"22".repeat(20)}`,
  blobFileStoreUrls: ["https://blobs.example"],
  txCollectionFileStoreUrls: ["https://txs.example"],
  blockDurationMs: 4000,
  txPublicSetupAllowListExtend: `I:0x${"01".repeat(32)}:0x01020304`,
  nodeVersion: "4.1.2",
  futureField: { any: true },
};
const FILE = JSON.stringify({ testnet: entry, "next-net": { ...entry, registryAddress: "" } });

let folder: string;
let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: (string | undefined)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-network-file-"));
  asked = [];
  answer = (_, response) => response.end(FILE);
  server = createServer((request, response) => {
    asked.push(request.headers["if-none-match"]);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/secret-path-0123/network_config.json`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const read = (options: { now?: number; keep?: boolean; locations?: string[]; cache?: boolean } = {}) =>
  readNetworkFile({
    network: "testnet",
    locations: options.locations ?? [url],
    cacheFolder: options.cache === false ? undefined : join(folder, "cache", "testnet"),
    keep: options.keep ?? true,
    now: () => options.now ?? 1_000_000,
  });

async function failureOf(work: Promise<unknown>): Promise<NetworkFileError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NetworkFileError)) throw new Error(`no NetworkFileError: ${error}`);
  return error;
}

describe("network file fields", () => {
  test("each field of a network file becomes its environment variable", () => {
    expect(parseNetworkFile(FILE, "testnet")).toEqual({
      variables: {
        BOOTSTRAP_NODES: "enr:-aa,enr:-bb",
        L1_CHAIN_ID: "7",
        SYNC_SNAPSHOTS_URLS: "https://snapshots.example/a/",
        REGISTRY_CONTRACT_ADDRESS: REGISTRY,
        FEE_ASSET_HANDLER_CONTRACT_ADDRESS: `0x${"22".repeat(20)}`,
        BLOB_FILE_STORE_URLS: "https://blobs.example",
        TX_COLLECTION_FILE_STORE_URLS: "https://txs.example",
        SEQ_BLOCK_DURATION_MS: "4000",
        TX_PUBLIC_SETUP_ALLOWLIST: entry.txPublicSetupAllowListExtend,
      },
      nodeVersion: "4.1.2",
    });
  });

  test("an empty registry address is the zero address, and an unknown network has no entry", () => {
    expect(parseNetworkFile(FILE, "next-net")?.variables.REGISTRY_CONTRACT_ADDRESS).toBe(`0x${"00".repeat(20)}`);
    expect(parseNetworkFile(FILE, "mainnet")).toBeUndefined();
    expect(parseNetworkFile(FILE, "constructor")).toBeUndefined();
  });

  test.each([
    ["not JSON", "{", "the file must be JSON"],
    ["no object", "[]", "the file must be an object"],
    ["a network of another kind", '{"testnet":5}', "testnet must be an object"],
    [
      "a field left out",
      JSON.stringify({ testnet: { ...entry, l1ChainId: undefined } }),
      "testnet.l1ChainId must be given",
    ],
    [
      "a text for a number",
      JSON.stringify({ testnet: { ...entry, l1ChainId: "7" } }),
      "testnet.l1ChainId must be a whole number",
    ],
    [
      "a comma in a list",
      JSON.stringify({ testnet: { ...entry, bootnodes: ["a,b"] } }),
      "testnet.bootnodes must be a list of strings",
    ],
    [
      "a number for a text",
      JSON.stringify({ testnet: { ...entry, nodeVersion: 4 } }),
      "testnet.nodeVersion must be a string",
    ],
  ])("a network file with %s is refused, naming field and rule", (_, text, message) => {
    expect(() => parseNetworkFile(text, "testnet")).toThrow(message);
  });
});

test("a network file is read from a path or file URL without caching a copy", async () => {
  const path = join(folder, "network.json");
  writeFileSync(path, FILE);
  for (const location of [path, pathToFileURL(path).href]) {
    expect((await read({ locations: [location] })).entry?.variables.L1_CHAIN_ID).toBe("7");
  }
  expect(existsSync(join(folder, "cache"))).toBe(false);
});

test("a network file is read from the next location when one is unusable", async () => {
  const dead = "http://127.0.0.1:1/network_config.json";
  expect((await read({ locations: [dead, url] })).entry?.nodeVersion).toBe("4.1.2");
});

describe("cached network file", () => {
  const files = () => readdirSync(join(folder, "cache", "testnet")).sort();
  const meta = () => readFileSync(join(folder, "cache", "testnet", "network_config.json.meta"), "utf8");

  test("a cached network file is used until it expires, by default for five minutes", async () => {
    await read();
    expect(files()).toEqual(["network_config.json", "network_config.json.meta"]);
    expect(meta()).not.toContain("secret-path");
    await read({ now: 1_000_000 + 299_999 });
    expect(asked).toHaveLength(1);
    await read({ now: 1_000_000 + 300_000 });
    expect(asked).toHaveLength(2);
  });

  test.each([
    [{ "cache-control": "public, max-age=60" }, 59_999, 60_000],
    [{ expires: new Date(1_030_000).toUTCString() }, 29_999, 30_000],
    [{ "cache-control": "no-cache", expires: new Date(9_000_000).toUTCString() }, -1, 0],
  ])("a cached network file expires as %j says", async (headers, lives, dead) => {
    answer = (_, response) => response.writeHead(200, headers as Record<string, string>).end(FILE);
    await read();
    await read({ now: 1_000_000 + lives });
    expect(asked).toHaveLength(1);
    await read({ now: 1_000_000 + dead });
    expect(asked).toHaveLength(2);
  });

  test("an expired network file is revalidated by its ETag", async () => {
    answer = (request, response) => {
      const current = request.headers["if-none-match"] === '"one"';
      response
        .writeHead(current ? 304 : 200, { etag: '"one"', "cache-control": "max-age=10" })
        .end(current ? "" : FILE);
    };
    await read();
    expect((await read({ now: 1_020_000 })).entry?.variables.L1_CHAIN_ID).toBe("7");
    expect(asked).toEqual([undefined, '"one"']);
    await read({ now: 1_029_000 });
    expect(asked).toHaveLength(2);
  });

  test("an expired network file is used, with a warning, when nothing answers", async () => {
    await read();
    answer = (_, response) => response.writeHead(503).end();
    const file = await read({ now: 99_000_000 });
    expect(file.entry?.variables.L1_CHAIN_ID).toBe("7");
    expect(file.stale).toMatch(/^the network file of testnet could not be read: .*: HTTP status 503$/);
  });

  test("garbage does not replace a cached network file, and a damaged one is fetched again", async () => {
    await read();
    answer = (_, response) => response.end("<html>");
    expect((await read({ now: 99_000_000 })).stale).toContain("the file must be JSON");
    writeFileSync(join(folder, "cache", "testnet", "network_config.json"), "{");
    answer = (_, response) => response.end(FILE);
    expect((await read()).entry?.variables.L1_CHAIN_ID).toBe("7");
    writeFileSync(join(folder, "cache", "testnet", "network_config.json.meta"), "null");
    expect((await read()).entry?.variables.L1_CHAIN_ID).toBe("7");
  });

  test("a cached network file is used only for the location it came from", async () => {
    await read();
    await read({ locations: [`${url}?other`] });
    expect(asked).toHaveLength(2);
  });

  test("without permission to write, a network file is fetched and not cached", async () => {
    await read({ keep: false });
    expect(existsSync(join(folder, "cache"))).toBe(false);
    await read({ cache: false });
    expect(asked).toHaveLength(2);
  });
});

describe("network file without a usable source", () => {
  test.each<[string, typeof answer, string | RegExp]>([
    ["a refusal", (_, response) => response.writeHead(404).end("secret-path-0123"), "HTTP status 404"],
    ["garbage", (_, response) => response.end("secret-path-0123"), "the file must be JSON"],
    [
      "a file too large",
      (_, response) => response.end(Buffer.alloc(1024 * 1024 + 1, 32)),
      "the answer is longer than 1048576 bytes",
    ],
    [
      "a broken connection",
      (request) => request.socket.destroy(),
      /^cannot be reached \((ECONNRESET|UND_ERR_SOCKET)\)$/,
    ],
  ])("%s at the only location gives an error with the reason and without the URL's key", async (_, how, reason) => {
    answer = how;
    const error = await failureOf(read());
    const location = expect.stringMatching(/^http:\/\/127.0.0.1:\d+\/\[Redacted\]$/);
    expect(error.failures).toEqual([{ location, reason: expect.stringMatching(reason) }]);
    expect(error.message).not.toContain("secret-path");
  });
});

describe("network configuration", () => {
  const given = (environment: Record<string, string>) => ({
    flags: new Map<string, string>(),
    environment: { NETWORK_CONFIG_LOCATION: url, ...environment },
    homeDirectory: folder,
  });

  test("values of the network file are overridden by the environment and override the preset", async () => {
    const own = `C:0x${"02".repeat(32)}:0x0a0b0c0d`;
    const { values, origins, warnings } = await configureForNetwork(
      given({ NETWORK: "testnet", TX_PUBLIC_SETUP_ALLOWLIST: own }),
      true,
    );
    expect(values).toMatchObject({ registryAddress: REGISTRY, l1ChainId: 7, blockDurationMs: 4000 });
    expect(origins.l1ChainId).toMatchObject({ kind: "network file", name: "L1_CHAIN_ID" });
    expect(values.txPublicSetupAllowListExtend).toMatchObject([{ classId: new Uint8Array(32).fill(2) }]);
    expect(origins.txPublicSetupAllowListExtend.kind).toBe("environment");
    expect(origins.slashingQuorum.kind).toBe("preset");
    expect(existsSync(join(folder, ".aztec", "testnet", "data", "cache", "testnet", "network_config.json"))).toBe(true);
    expect(warnings.filter((text) => text.includes("network"))).toEqual([]);
  });

  test("a network missing from the file is configured without it, with a warning", async () => {
    const { values, warnings } = await configureForNetwork(given({ NETWORK: "mainnet" }), false);
    expect(values).toMatchObject({ registryAddress: undefined, l1ChainId: 1 });
    expect(warnings).toContainEqual(expect.stringMatching(/does not have the network mainnet$/));
  });

  test("a value of the network file that breaks the rule of its option is an error", async () => {
    answer = (_, response) => response.end(JSON.stringify({ testnet: { ...entry, registryAddress: "0x1" } }));
    await expect(configureForNetwork(given({ NETWORK: "testnet" }), false)).rejects.toThrow(
      /^REGISTRY_CONTRACT_ADDRESS of the network file http:.* must be 40 hex digits, with or without 0x; got "0x1"$/,
    );
  });

  test("the local network does not fetch the network file", async () => {
    await configureForNetwork(given({ NETWORK: "local" }), true);
    expect(asked).toEqual([]);
  });
});
