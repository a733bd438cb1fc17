import { existsSync } from "node:fs";
import { ENR } from "@chainsafe/enr";
import { toHex } from "../../src/protocol/bytes.ts";
import { COMMITTEE_NETWORK, type CommitteeL1 } from "./committee-l1.ts";
import { BUILT_MAIN, freePort, NotBuiltError } from "./recorded-nodes.ts";
import type { Reference } from "./reference.ts";
import { ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

/** A node that listens to peers. */
export interface GossipNode {
  readonly url: string;
  readonly process: ServerProcess;
  /** Multiaddr text with the peer id. */
  readonly address: string;
}

export interface GossipNodeOptions {
  /** Flags for Node.js; only of this project's node. */
  flags?: readonly string[];
  /** Private key of the attester of a validator, which never proposes; without it the node has no duties. */
  attester?: Uint8Array;
}

async function settings(l1: CommitteeL1, { attester }: GossipNodeOptions): Promise<Record<string, string>> {
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
    ...(attester && { VALIDATOR_PRIVATE_KEYS: toHex(attester), SEQ_MIN_TX_PER_BLOCK: "1000000" }),
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

async function commandLine(port: number, { attester }: GossipNodeOptions): Promise<string[]> {
  const roles = attester === undefined ? ["--node"] : ["--node", "--sequencer"];
  return ["start", ...roles, "--port", String(port), "--admin-port", String(await freePort())];
}

/** Starts this project's node with P2P and an empty temporary data directory. */
export async function startOwnGossipNode(l1: CommitteeL1, options: GossipNodeOptions = {}): Promise<GossipNode> {
  if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
  const port = await freePort();
  const args = [...(options.flags ?? []), BUILT_MAIN, ...(await commandLine(port, options))];
  const started = new ServerProcess(process.execPath, args, {
    ...(await settings(l1, options)),
    PATH: process.env.PATH,
  });
  return ready(started, `http://127.0.0.1:${port}`);
}

/** Starts the reference as a plain node or a validator, with P2P and an empty temporary data directory. */
export async function startReferenceGossipNode(
  reference: Reference,
  l1: CommitteeL1,
  options: GossipNodeOptions = {},
): Promise<GossipNode> {
  const port = await freePort();
  const main = "node_modules/@aztec/aztec/dest/bin/index.js";
  const started = reference.start(main, await commandLine(port, options), await settings(l1, options));
  return ready(started, `http://127.0.0.1:${port}`);
}
