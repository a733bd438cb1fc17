import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseRecord } from "../../src/p2p/discovery/record-rules.ts";
import { runSvc, type Svc, spawnSvc } from "../cli/run-svc.ts";
import vectors from "../fixtures/p2p/identity.json" with { type: "json" };
import { discoveryNode, freeUdpPort, heardOf } from "../p2p/discovery/discovery-nodes.ts";

const { bootnode: vector } = vectors.enr;
const running = new Set<Svc>();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-bootnode-"));
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
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

it("introduces nodes to one another and shows whom it knows", async () => {
  const { url } = await start({ P2P_PORT: String(await freeUdpPort()), L1_CHAIN_ID: "1" });
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
        { timeout: 30_000, interval: 250 },
      )
      .toEqual(nodes.map(({ identity }) => [identity.id]).toReversed());
    const table = (await ask(url, "bootstrap_getRoutingTable")) as string[];
    expect(table.toSorted()).toEqual(nodes.map((node) => node.enr).toSorted());
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
});

it("answers health checks, and refuses methods of a node", async () => {
  const { svc, url } = await start({ P2P_PORT: String(await freeUdpPort()) });
  for (const path of ["/health", "/status"]) {
    const response = await fetch(url + path);
    expect([response.status, await response.text()]).toEqual([200, "OK"]);
  }
  expect((await fetch(`${url}/health`, { method: "POST" })).status).toBe(404);
  expect(await ask(url, "node_getBlockNumber")).toMatchObject({ code: -32601 });
  svc.child.kill("SIGTERM");
  expect((await svc.ended).code).toBe(143);
});

it("with the key of the network's vectors has their record, announces its public port and keeps both", async () => {
  const port = await freeUdpPort();
  const data = join(folder, "data");
  const settings = {
    P2P_PORT: "1",
    P2P_BROADCAST_PORT: String(port),
    L1_CHAIN_ID: String(vector.l1ChainId),
    DATA_DIRECTORY: data,
  };
  const first = await start({ ...settings, PEER_ID_PRIVATE_KEY: vector.privateKeyHex });
  const enr = (await ask(first.url, "bootstrap_getEncodedEnr")) as string;
  const args = ["generate-bootnode-enr", vector.privateKeyHex, "127.0.0.1", String(port), "-c", settings.L1_CHAIN_ID];
  expect((await runSvc(args)).stdout).toBe(`${enr}\n`);
  first.svc.child.kill("SIGTERM");
  const { stderr } = await first.svc.ended;
  expect(stderr).not.toContain(vector.privateKeyHex.slice(8));
  expect(readFileSync(join(data, "p2p-private-key"), "utf8")).toBe(vector.privateKeyHex);
  expect(statSync(join(data, "p2p-private-key")).mode & 0o777).toBe(0o600);

  const second = await start(settings);
  expect(await ask(second.url, "bootstrap_getEncodedEnr")).toBe(enr);
  second.svc.child.kill("SIGTERM");
  await second.svc.ended;

  const moved = await start({ ...settings, P2P_IP: "127.0.0.2" });
  const record = parseRecord((await ask(moved.url, "bootstrap_getEncodedEnr")) as string, "record");
  expect([record.ip, record.seq]).toEqual(["127.0.0.2", 5n]);
});

it("does not start without an address, with a bad one, or on a taken port", async () => {
  const bootnode = ["start", "--p2p-bootstrap", "--port", "0", "--rpc-host", "127.0.0.1"];
  expect(await runSvc(bootnode)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("error: A bootnode announces its address: give --p2p.p2pIp or P2P_IP"),
  });
  expect(await runSvc(bootnode, { P2P_IP: "0.0.0.0" })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("this node's record must have an IPv4 address of a host, ports above 0"),
  });
  const { svc } = await start({ P2P_PORT: String(await freeUdpPort()) });
  const [, taken] = (await svc.shows(/UDP port (\d+)/)) as unknown as [string, string];
  expect(await runSvc(bootnode, { P2P_IP: "127.0.0.1", P2P_LISTEN_ADDR: "127.0.0.1", P2P_PORT: taken })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cannot listen on 127.0.0.1 UDP port ${taken} (EADDRINUSE)`),
  });
});
