import { existsSync } from "node:fs";
import { join } from "node:path";
import { ENR } from "@chainsafe/enr";
import { COMMITTEE_NETWORK, type CommitteeL1 } from "./committee-l1.ts";
import { freePort, NotBuiltError } from "./recorded-nodes.ts";
import type { Reference } from "./reference.ts";
import { ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

const BUILT_MAIN = join(import.meta.dirname, "..", "..", "build", "src", "cli", "main.js");

/** A node that listens to peers. */
export interface GossipNode {
  readonly url: string;
  readonly process: ServerProcess;
  /** Multiaddr text with the peer id. */
  readonly address: string;
}

async function settings(l1: CommitteeL1): Promise<Record<string, string>> {
  return {
    ...COMMITTEE_NETWORK,
    ETHEREUM_HOSTS: l1.url,
    L1_CHAIN_ID: String(l1.identity.l1ChainId),
    REGISTRY_CONTRACT_ADDRESS: l1.identity.addresses.registryAddress,
    P2P_ENABLED: "true",
    P2P_IP: "127.0.0.1",
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_PORT: String(await freePort()),
    P2P_MAX_PEERS: "120",
    P2P_MAX_PENDING_TX_COUNT: "100000",
    DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "true",
    LOG_LEVEL: "warn",
  };
}

async function ready(process: ServerProcess, url: string): Promise<GossipNode> {
  try {
    const enr = await process.until(async () => {
      // Without peers this project's node is not ready, but it answers and has a record once it has synced.
      const answer = await answerTo(url, call("node_getEncodedEnr", [])).catch(() => undefined);
      return typeof answer === "string" ? answer : undefined;
    });
    const record = ENR.decodeTxt(enr);
    return { url, process, address: `/ip4/${record.ip}/tcp/${record.tcp}/p2p/${record.peerId}` };
  } catch (error) {
    await process.stop();
    throw error;
  }
}

/** Starts this project's node with P2P and an empty temporary data directory. `flags` are for Node.js. */
export async function startOwnGossipNode(l1: CommitteeL1, flags: readonly string[] = []): Promise<GossipNode> {
  if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
  const port = await freePort();
  const args = ["start", "--node", "--port", String(port), "--admin-port", String(await freePort())];
  const environment = { ...(await settings(l1)), PATH: process.env.PATH };
  const started = new ServerProcess(process.execPath, [...flags, BUILT_MAIN, ...args], environment);
  return ready(started, `http://127.0.0.1:${port}`);
}

/** Starts the reference as a plain node with P2P and an empty temporary data directory. */
export async function startReferenceGossipNode(reference: Reference, l1: CommitteeL1): Promise<GossipNode> {
  const port = await freePort();
  const started = reference.start(
    "node_modules/@aztec/aztec/dest/bin/index.js",
    ["start", "--node", "--port", String(port), "--admin-port", String(await freePort())],
    await settings(l1),
  );
  return ready(started, `http://127.0.0.1:${port}`);
}
