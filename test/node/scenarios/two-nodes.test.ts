import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { parseRecord } from "../../../src/p2p/discovery/record-rules.ts";
import { freePort } from "../../support/free-port.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { freshTx, txJson } from "../../world/mempool/fresh-txs.ts";
import { NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const core = loadCore();
const template = recordedTxs().find(({ tx }) => tx.data[0] === 0 && tx.contractClassLogFields.length === 0);
if (template === undefined) throw new Error("no private tx was recorded");
const WAIT = { timeout: 60_000, interval: 100 };

let l1: RecordedL1;
let bootnode: Svc;
const nodes: NodeProcess[] = [];

const loopback = { P2P_LISTEN_ADDR: "127.0.0.1", P2P_IP: "127.0.0.1" };

async function startNode(environment: Record<string, string>, directory?: string): Promise<NodeProcess> {
  const node = await NodeProcess.start(l1, directory ?? mkdtempSync(join(tmpdir(), "svc-node-")), {
    ...loopback,
    P2P_ENABLED: "true",
    P2P_PORT: String(await freePort()),
    P2P_PEER_CHECK_INTERVAL_MS: "500",
    DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "true",
    LOG_LEVEL: "debug",
    ...environment,
  });
  nodes.push(node);
  return node;
}

beforeAll(async () => {
  l1 = await startRecordedL1();
  const args = ["start", "--p2p-bootstrap", "--port", "0", "--rpc-host", "127.0.0.1"];
  bootnode = spawnSvc(args, { ...loopback, P2P_PORT: String(await freePort()), L1_CHAIN_ID: "31337" });
  const [, port] = await bootnode.shows(/answering JSON-RPC on 127\.0\.0\.1:(\d+)/);
  const request = { jsonrpc: "2.0", id: 1, method: "bootstrap_getEncodedEnr", params: [] };
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const { result } = (await response.json()) as { result: string };
  for (let i = 0; i < 2; i++) await startNode({ BOOTSTRAP_NODES: result });
  await Promise.all(nodes.map((node) => node.ready(180_000)));
}, 200_000);

afterAll(async () => {
  bootnode?.child.kill("SIGKILL");
  await Promise.all([bootnode?.ended, ...nodes.map((node) => node.remove())]);
  l1?.stop();
});

const idOf = async (node: NodeProcess): Promise<string> => {
  const { body } = await node.ask("getEncodedEnr");
  return parseRecord(body.result as string, "record").peerId.toString();
};
const peersOf = async (node: NodeProcess) => (await node.call("p2p_getPeers", [])).body.result;
const pendingOf = async (node: NodeProcess) => (await node.ask("getPendingTxCount")).body.result;

test("two nodes that know only a bootnode connect, and a tx that is sent to one is in the pool of the other", async () => {
  const [a, b] = nodes;
  for (const [node, other] of [
    [a, b],
    [b, a],
  ]) {
    const peer = { id: await idOf(other), score: 0, status: "connected" };
    await expect.poll(() => peersOf(node), WAIT).toEqual([peer]);
  }
  let sent = 0;
  for (const [node, other] of [
    [a, b],
    [b, a],
  ]) {
    const tx = txJson(core, freshTx(template, { nullifier: `of node ${sent}`, priorityFee: 1_000n }));
    expect((await node.ask("sendTx", [tx.json])).body).not.toHaveProperty("error");
    sent++;
    await expect.poll(() => pendingOf(other), WAIT).toBe(sent);
    expect((await other.ask("getTxByHash", [tx.hash])).body.result).toEqual(tx.json);
  }
});
