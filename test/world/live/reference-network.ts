import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { ENR } from "@chainsafe/enr";
import { componentVersion } from "../../../src/protocol/consensus/component-version.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { call } from "./json-rpc.ts";

const run = promisify(execFile);

/** What a peer needs to know of a running network of reference nodes. */
export interface ReferenceNetwork {
  /** Protocol version string. */
  version: string;
  rollupAddress: string;
  slotDurationMs: number;
  epochSlots: number;
  committeeSize: number;
  blockDurationMs: number;
  /** Start of slot 0, in Unix milliseconds. */
  genesisMs: number;
  /** Validators with a node, named by their number from 1. */
  nodes: ReferenceNode[];
  /** A node without a validator; undefined before its first start. */
  observer: ReferenceNode | undefined;
  /** Address and private key of each validator, as hexadecimal text. */
  validators: { address: string; key: string }[];
}

/** What others need to list a node as a peer. */
export type Listed = Pick<ReferenceNode, "id" | "address" | "enr">;

export interface ReferenceNode {
  name: string;
  /** Peer id. */
  id: string;
  /** Multiaddress without the peer id. */
  address: string;
  enr: string;
  /** JSON-RPC URL: at the port after the one of P2P. */
  url: string;
}

interface NetworkFile {
  rollupVersion: number;
  genesisTime: number;
  l1Contracts: { rollupAddress: string };
  enrs: Record<string, string>;
  settings: Record<string, string | number>;
  validators: { address: string; key: string }[];
}

/** Reads the file that describes the network. */
export function referenceNetwork(file: string): ReferenceNetwork {
  const { rollupVersion, genesisTime, l1Contracts, enrs, settings, validators }: NetworkFile = JSON.parse(
    readFileSync(file, "utf8"),
  );
  const nodes = Object.entries(enrs).map(([name, enr]) => {
    const record = ENR.decodeTxt(enr);
    return {
      name,
      enr,
      id: record.peerId.toString(),
      address: `/ip4/${record.ip}/tcp/${record.tcp}`,
      url: `http://${record.ip}:${Number(record.tcp) + 1}`,
    };
  });
  return {
    version: componentVersion(
      { l1ChainId: 31337, rollupAddress: l1Contracts.rollupAddress, rollupVersion },
      V4.contracts,
    ),
    rollupAddress: l1Contracts.rollupAddress,
    slotDurationMs: Number(settings.AZTEC_SLOT_DURATION) * 1000,
    epochSlots: Number(settings.AZTEC_EPOCH_DURATION),
    committeeSize: Number(settings.AZTEC_TARGET_COMMITTEE_SIZE),
    blockDurationMs: Number(settings.SEQ_BLOCK_DURATION_MS),
    genesisMs: genesisTime * 1000,
    nodes: nodes.filter(({ name }) => /^\d+$/.test(name)),
    observer: nodes.find(({ name }) => name === "observer"),
    validators,
  };
}

/**
 * Controls the network with its script: `env NAME`, `stop NAME NODE [SIGNAL]`,
 * `start NAME NODE [VARIABLE=VALUE ...] [-- FLAG ...]`.
 */
export class ReferenceControl {
  readonly #script: string;
  readonly #name: string;
  readonly #nodeOptions: string | undefined;

  /** `nodeOptions`: NODE_OPTIONS of the nodes that it starts. */
  constructor(script: string, name: string, nodeOptions?: string) {
    this.#script = script;
    this.#name = name;
    this.#nodeOptions = nodeOptions;
  }

  /** Environment variables of a node that joins the network. */
  async environment(): Promise<Record<string, string>> {
    const { stdout } = await run(this.#script, ["env", this.#name]);
    return Object.fromEntries([...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value]));
  }

  async stop(node: string, signal?: "SIGKILL"): Promise<void> {
    await run(this.#script, ["stop", this.#name, node, ...(signal ? [signal] : [])]);
  }

  /** Runs the key of validator 1 on node 1 and on a node `twin`, without guards. Resolves when both are ready. */
  async equivocate(): Promise<void> {
    await run(this.#script, ["equivocate", this.#name], { timeout: 300_000 });
  }

  /** Resolves when the node is ready. */
  async start(node: string, environment: Record<string, string> = {}, flags: readonly string[] = []): Promise<void> {
    const all = { ...environment, ...(this.#nodeOptions && { NODE_OPTIONS: this.#nodeOptions }) };
    const settings = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    const last = flags.length === 0 ? [] : ["--", ...flags];
    await run(this.#script, ["start", this.#name, node, ...settings, ...last], { timeout: 300_000 });
  }
}

/** Peers that a node is connected to, by id. */
export async function peersOf(url: string): Promise<Map<string, number>> {
  const peers = (await call(url, "p2p_getPeers")) as { id: string; score: number; status: string }[];
  return new Map(peers.filter(({ status }) => status === "connected").map(({ id, score }) => [id, score]));
}
