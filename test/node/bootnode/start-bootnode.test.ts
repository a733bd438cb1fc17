import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bootnodeRecord } from "../../../src/cli/peers/bootnode-record.ts";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { type RunningBootnode, startBootnode } from "../../../src/node/bootnode/start-bootnode.ts";
import { parseRecord } from "../../../src/p2p/discovery/record-rules.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { freePort } from "../../support/free-port.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { discoveryNode, heardOf } from "../../world/p2p/discovery-nodes.ts";
import { vectors } from "../../world/p2p/identity-vectors.ts";

const { bootnode: vector } = vectors.enr;
const running = new Set<Svc>();
const started = new Set<RunningBootnode>();
let folder: string;
let lines: string[];

beforeEach(() => {
  lines = [];
  folder = mkdtempSync(join(tmpdir(), "svc-bootnode-"));
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
  await Promise.all([...started].map(stop));
  rmSync(folder, { recursive: true, force: true });
});

/** A bootnode process that has logged its JSON-RPC port. */
async function start(environment: Record<string, string>): Promise<{ svc: Svc; url: string }> {
  const svc = spawnSvc(["start", "--p2p-bootstrap", "--port", "0", "--rpc-host", "127.0.0.1"], {
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_IP: "127.0.0.1",
    ...environment,
  });
  running.add(svc);
  const [, port] = await svc.shows(/answering JSON-RPC on 127\.0\.0\.1:(\d+)/);
  return { svc, url: `http://127.0.0.1:${port}` };
}

async function ask(url: string, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
  return result ?? error;
}

test("introduces nodes to one another and shows whom it knows", async () => {
  const { svc, url } = await start({ P2P_PORT: String(await freePort()), L1_CHAIN_ID: "1" });
  const enr = (await ask(url, "bootstrap_getEncodedEnr")) as string;
  expect(await ask(url, "bootstrap_getRoutingTable")).toEqual([]);

  const nodes = await Promise.all([1, 2].map(() => discoveryNode({ bootnodes: [enr] })));
  try {
    const heard = nodes.map(heardOf);
    for (const node of nodes) await node.start();
    await expect
      .poll(
        async () => {
          await Promise.all(nodes.map((node) => node.query()));
          return heard.map((ids) => [...ids]);
        },
        { timeout: 120_000, interval: 250 },
      )
      .toEqual(nodes.map(({ identity }) => [identity.id]).toReversed());
    const table = (await ask(url, "bootstrap_getRoutingTable")) as string[];
    expect(table.toSorted()).toEqual(nodes.map((node) => node.enr).toSorted());
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
  svc.child.kill("SIGTERM");
  expect((await svc.ended).code).toBe(143);
});

/** A bootnode in this process. */
async function inProcess(environment: Record<string, string>): Promise<RunningBootnode> {
  const port = String(await freePort());
  const { values } = configure({
    flags: new Map([["--port", "0"]]),
    environment: { SVC_RPC_HOST: "127.0.0.1", P2P_LISTEN_ADDR: "127.0.0.1", P2P_PORT: port, ...environment },
  });
  const loggerFor = createLogging({ filter: values.logLevel, json: false, secrets: [], write: (l) => lines.push(l) });
  const bootnode = await startBootnode(partValues(values), {
    dataDirectory: values.dataDirectory,
    loggerFor,
    signal: new AbortController().signal,
  });
  started.add(bootnode);
  return bootnode;
}

async function stop(bootnode: RunningBootnode): Promise<void> {
  started.delete(bootnode);
  await bootnode.stop();
}

test("answers health checks, and refuses methods of a node", async () => {
  const url = `http://127.0.0.1:${(await inProcess({ P2P_IP: "127.0.0.1" })).port}`;
  for (const path of ["/health", "/status"]) {
    const response = await fetch(url + path);
    expect([response.status, await response.text()]).toEqual([200, "OK"]);
  }
  expect((await fetch(`${url}/health`, { method: "POST" })).status).toBe(404);
  expect(await ask(url, "node_getBlockNumber")).toMatchObject({ code: -32601 });
});

test("has the record that generate-bootnode-enr prints, and one with a higher number at a new address", async () => {
  const port = String(await freePort());
  const key = vector.privateKeyHex;
  const settings = { P2P_IP: "127.0.0.1", P2P_PORT: "1", P2P_BROADCAST_PORT: port, DATA_DIRECTORY: folder };
  const first = await inProcess({ ...settings, L1_CHAIN_ID: "7", PEER_ID_PRIVATE_KEY: key });
  const printed = bootnodeRecord({ privateKey: key, ip: "127.0.0.1", port, l1ChainId: "7" });
  expect(first.enr).toBe(printed);
  await stop(first);
  expect(lines.join("")).not.toContain(key.slice(8));
  expect(readFileSync(join(folder, "p2p-private-key"), "utf8")).toBe(key);

  const again = await inProcess({ ...settings, L1_CHAIN_ID: "7" });
  expect(again.enr).toBe(printed);
  await stop(again);
  const moved = parseRecord((await inProcess({ ...settings, L1_CHAIN_ID: "7", P2P_IP: "127.0.0.2" })).enr, "record");
  expect([moved.nodeId, moved.ip, moved.udp, moved.seq]).toEqual([vector.nodeId, "127.0.0.2", Number(port), 5n]);
});

test("does not start with a bad address or on a taken port", async () => {
  await expect(inProcess({ P2P_IP: "0.0.0.0" })).rejects.toThrow("this node's record must have an IPv4 address");
  const { enr } = await inProcess({ P2P_IP: "127.0.0.1" });
  const udp = String(parseRecord(enr, "record").udp);
  await expect(inProcess({ P2P_IP: "127.0.0.1", P2P_PORT: udp })).rejects.toThrow(
    `cannot listen on 127.0.0.1 UDP port ${udp} (EADDRINUSE)`,
  );
});
