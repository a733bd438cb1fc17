import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RECORDED_CHAIN } from "../../../src/cli/demo/recorded-chain.ts";
import { deployL1Contracts } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { anvilBinary } from "../../../src/local-network/anvil-binary.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { localNetwork } from "../../world/l1/deployed-network.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import { LiveNode } from "../../world/live/live-node.ts";

export interface OwnNetworkOptions {
  /** New folder for data and logs. */
  folder: string;
  /** Nodes, with one validator each; all are in every committee. */
  nodes: number;
  l1Seconds: number;
  slotSeconds: number;
  /** First of the ports that are used. */
  port: number;
  /** Data directory of a node, if another than in `folder`. */
  dataDirectory?: (node: number) => string | undefined;
}

const EPOCH_SLOTS = 4;
/** Epochs before the start: the committee of an epoch is drawn from the validators of an earlier one. */
const EPOCHS_BEFORE = 4;
const PORTS_PER_NODE = 10;
const ETH = 10n ** 18n;

interface RunningL1 {
  process: ChildProcess;
  url: string;
  setTime: () => Promise<unknown>;
}

/** A network of nodes of this project only, on a development L1 of its own: each has a validator and peers. */
export class OwnNetwork {
  readonly nodes: readonly LiveNode[];
  /** Attesters, which also publish, in the order of the nodes; lower-case 0x text. */
  readonly validators: readonly string[];
  readonly l1Url: string;
  readonly #l1: ChildProcess;
  readonly #setTime: () => Promise<unknown>;
  readonly #bootnode: Svc;

  private constructor(
    { process: l1, url, setTime }: RunningL1,
    bootnode: Svc,
    nodes: LiveNode[],
    validators: string[],
  ) {
    this.#l1 = l1;
    this.#setTime = setTime;
    this.l1Url = url;
    this.#bootnode = bootnode;
    this.nodes = nodes;
    this.validators = validators;
  }

  /** Resolves once all nodes have started; they are not synced yet. */
  static async start(options: OwnNetworkOptions): Promise<OwnNetwork> {
    const { folder, port, l1Seconds, slotSeconds } = options;
    mkdirSync(join(folder, "blobs"), { recursive: true });
    const keys = Array.from({ length: options.nodes }, (_, i) => bigUintBytes(BigInt(7000 + i), 32));
    const validators = keys.map((key) => new LocalSigner(key).address);
    const before = EPOCHS_BEFORE * EPOCH_SLOTS * slotSeconds;
    const genesis = Math.floor(Date.now() / 1000) - before;
    const l1 = spawn(
      anvilBinary(),
      [
        ...["--host", "127.0.0.1", "--port", String(port), "--timestamp", String(genesis)],
        ...["--prune-history", "200", "--silent", "--slots-in-an-epoch", "4"],
      ],
      { stdio: "ignore" },
    );
    process.once("exit", () => l1.kill("SIGKILL"));
    const l1Url = `http://127.0.0.1:${port}`;
    await until("L1 answers", 30_000, () => call(l1Url, "eth_chainId"));
    const registryAddress = await deploy(l1Url, options, validators);
    for (const validator of validators) {
      await call(l1Url, "anvil_setBalance", validator, `0x${(1000n * ETH).toString(16)}`);
    }
    const { identity } = await connectRollup({
      ...{ l1RpcUrls: [l1Url], l1ChainId: 31337, ethereumSlotDuration: l1Seconds, registryAddress },
      otherAddresses: {},
    });
    const { l1GenesisTime } = identity.constants;
    const setTime = () =>
      until("L1 has the time of this machine", 120_000, () => setL1Time(l1Url, l1GenesisTime % l1Seconds, l1Seconds));
    await setTime();
    await call(l1Url, "evm_setIntervalMining", l1Seconds);

    const bootnode = await startBootnode(port + 1);
    const shared = {
      ETHEREUM_HOSTS: l1Url,
      L1_CHAIN_ID: "31337",
      ETHEREUM_SLOT_DURATION: String(l1Seconds),
      REGISTRY_CONTRACT_ADDRESS: registryAddress,
      TEST_ACCOUNTS: "true",
      SPONSORED_FPC: "true",
      PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses,
      PROVER_REAL_PROOFS: "false",
      ARCHIVER_POLLING_INTERVAL_MS: "1000",
      DATA_STORE_MAP_SIZE_KB: "4194304",
      BLOB_FILE_STORE_URLS: `file://${join(folder, "blobs")}`,
      BLOB_FILE_STORE_UPLOAD_URL: `file://${join(folder, "blobs")}`,
      AZTEC_DISABLE_ADMIN_API_KEY: "true",
      SEQ_MIN_TX_PER_BLOCK: "0",
      // Checkpoints are sent late in their slots: one that is sent at once may be mined before its slot begins.
      SEQ_BLOCK_DURATION_MS: "6000",
      SENTINEL_ENABLED: "true",
      SLASH_GRACE_PERIOD_L2_SLOTS: "0",
      P2P_ENABLED: "true",
      P2P_IP: "127.0.0.1",
      P2P_LISTEN_ADDR: "127.0.0.1",
      P2P_PEER_CHECK_INTERVAL_MS: "2000",
      DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "true",
      BOOTSTRAP_NODES: bootnode.record,
    };
    const nodes = keys.map((key, i) => {
      const base = port + PORTS_PER_NODE * (i + 1);
      const dataDirectory = options.dataDirectory?.(i);
      return new LiveNode({
        name: `node-${i}`,
        folder,
        port: base,
        args: ["--node", "--sequencer"],
        environment: {
          ...shared,
          VALIDATOR_PRIVATE_KEYS: toHex(key),
          SVC_METRICS_PORT: String(base + 3),
          ...(dataDirectory !== undefined && { DATA_DIRECTORY: dataDirectory }),
        },
      });
    });
    process.once("exit", () => {
      for (const node of nodes) void node.end("SIGKILL");
      bootnode.svc.child.kill("SIGKILL");
    });
    for (const node of nodes) node.start();
    return new OwnNetwork({ process: l1, url: l1Url, setTime }, bootnode.svc, nodes, validators);
  }

  /** Resolves once every node has a block and is connected to all others. */
  async running(limitMs: number): Promise<void> {
    for (const node of this.nodes) {
      await until(`${node.options.name} follows the network`, limitMs, async () => {
        const [block, peers] = [await call(node.url, "node_getBlockNumber"), await call(node.url, "p2p_getPeers")];
        return (block as number) > 1 && (peers as unknown[]).length === this.nodes.length - 1;
      });
    }
  }

  /** Where GET /metrics of a node is, as host:port. */
  metricsOf(node: number): string {
    return `127.0.0.1:${this.nodes[node].options.port + 3}`;
  }

  adminOf(node: number): string {
    return `http://127.0.0.1:${this.nodes[node].options.port + 2}`;
  }

  /** L1 answers nothing until `continueL1`. */
  pauseL1(): void {
    this.#l1.kill("SIGSTOP");
  }

  /** Its blocks have the machine's time again. */
  async continueL1(): Promise<void> {
    this.#l1.kill("SIGCONT");
    await this.#setTime();
  }

  /** Wei. */
  async setBalance(node: number, wei: bigint): Promise<void> {
    await call(this.l1Url, "anvil_setBalance", this.validators[node], `0x${wei.toString(16)}`);
  }

  async stop(): Promise<void> {
    this.#l1.kill("SIGCONT");
    await Promise.all(this.nodes.map((node) => node.end("SIGTERM")));
    this.#bootnode.child.kill("SIGKILL");
    this.#l1.kill("SIGKILL");
    await sleep(100);
  }
}

/**
 * Mines a block when the time has a remainder modulo the interval of blocks: the first L1 block after a slot begins to
 * be built must be in that slot. Returns whether L1 took the time at once, which it does not on a busy machine.
 */
async function setL1Time(url: string, remainder: number, interval: number): Promise<boolean> {
  const seconds = Date.now() / 1000;
  const next = Math.floor((seconds - remainder) / interval + 1) * interval + remainder;
  await sleep((next - seconds) * 1000);
  await call(url, "evm_setNextBlockTimestamp", next);
  await call(url, "evm_mine");
  return Date.now() / 1000 - next < 2;
}

/** Returns the registry's address. */
async function deploy(url: string, options: OwnNetworkOptions, validators: readonly string[]): Promise<string> {
  const request = localNetwork(url, {
    AZTEC_TARGET_COMMITTEE_SIZE: String(options.nodes),
    AZTEC_SLOT_DURATION: String(options.slotSeconds),
    AZTEC_EPOCH_DURATION: String(EPOCH_SLOTS),
    AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET: "1",
    AZTEC_LAG_IN_EPOCHS_FOR_RANDAO: "1",
    // Nothing proves these blocks.
    AZTEC_PROOF_SUBMISSION_EPOCHS: "1000",
    AZTEC_SLASHER_FLAVOR: "tally",
    AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS: "2",
    AZTEC_SLASHING_OFFSET_IN_ROUNDS: "1",
    AZTEC_LOCAL_EJECTION_THRESHOLD: "5e19",
  });
  const { addresses } = await deployL1Contracts({
    ...request,
    ethereumSlotDuration: options.l1Seconds,
    validators: validators.map((address, i) => ({
      attester: address,
      withdrawer: address,
      blsSecretKey: BigInt(900 + i),
    })),
  });
  return addresses.registryAddress;
}

async function startBootnode(port: number): Promise<{ svc: Svc; record: string }> {
  const svc = spawnSvc(["start", "--p2p-bootstrap", "--port", "0", "--rpc-host", "127.0.0.1"], {
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_IP: "127.0.0.1",
    P2P_PORT: String(port),
    L1_CHAIN_ID: "31337",
  });
  const [, rpc] = await svc.shows(/answering JSON-RPC on 127\.0\.0\.1:(\d+)/);
  const record = (await call(`http://127.0.0.1:${rpc}`, "bootstrap_getEncodedEnr")) as string;
  return { svc, record };
}
