import type { NodeStatus } from "../../../src/devnet/control.ts";
import { Devnet } from "../../world/live/devnet.ts";
import { call, until } from "../../world/live/json-rpc.ts";

export interface OwnNetworkOptions {
  /** New folder for data and logs. */
  folder: string;
  /** Nodes, with one validator each; all are in every committee. */
  nodes: number;
  l1Seconds: number;
  slotSeconds: number;
  /** First of the ports that are used. */
  port: number;
}

/** A node of the network. */
interface OwnNode {
  readonly name: string;
  readonly url: string;
  readonly admin: string;
  /** Where GET /metrics is, as host:port. */
  readonly metrics: string;
  /** Lower-case 0x text. */
  readonly attester: string;
  readonly publisher: string;
  /** Process id now. */
  pid(): Promise<number>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** A network of nodes of this project only, run by `svc devnet`: each has a validator and peers. */
export class OwnNetwork {
  readonly nodes: readonly OwnNode[];
  readonly #devnet: Devnet;
  readonly #l1: NodeStatus;

  private constructor(devnet: Devnet, nodes: OwnNode[], l1: NodeStatus) {
    this.#devnet = devnet;
    this.nodes = nodes;
    this.#l1 = l1;
  }

  /** Resolves once all nodes have started; they are not synced yet. */
  static async start({ folder, nodes, l1Seconds, slotSeconds, port }: OwnNetworkOptions): Promise<OwnNetwork> {
    const devnet = await Devnet.start({
      folder,
      args: ["--validators", String(nodes), "--base-port", String(port)],
      environment: {
        ETHEREUM_SLOT_DURATION: String(l1Seconds),
        AZTEC_SLOT_DURATION: String(slotSeconds),
        AZTEC_EPOCH_DURATION: "4",
        AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET: "1",
        AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS: "2",
        AZTEC_SLASHING_OFFSET_IN_ROUNDS: "1",
        AZTEC_LOCAL_EJECTION_THRESHOLD: "5e19",
        SLASH_GRACE_PERIOD_L2_SLOTS: "0",
      },
    });
    const all = await devnet.nodes();
    const validators = all.filter(({ role }) => role === "validator");
    const own = validators.map(async ({ name, rpc = "", admin = "", metrics = "" }): Promise<OwnNode> => {
      return {
        ...{ name, url: rpc, admin, metrics: new URL(metrics).host },
        ...(await devnet.accounts(name)),
        pid: async () => (await devnet.nodes()).find((node) => node.name === name)?.pid ?? 0,
        kill: () => devnet.act("kill", name),
        start: () => devnet.act("restart", name),
      };
    });
    return new OwnNetwork(devnet, await Promise.all(own), all.find(({ role }) => role === "L1") as NodeStatus);
  }

  /** Resolves once every node has a block and is connected to all others. */
  async running(limitMs: number): Promise<void> {
    for (const node of this.nodes) {
      await until(`${node.name} follows the network`, limitMs, async () => {
        const [block, peers] = [await call(node.url, "node_getBlockNumber"), await call(node.url, "p2p_getPeers")];
        return (block as number) > 1 && (peers as unknown[]).length === this.nodes.length - 1;
      });
    }
  }

  /** Stops a node, lets `move` put its data elsewhere, and starts it again. */
  async moveData(node: number, move: (dataDirectory: string) => void): Promise<void> {
    const { name } = this.nodes[node];
    await this.#devnet.act("stop", name);
    move(this.#devnet.folder.data(name));
    await this.#devnet.act("restart", name);
  }

  /** L1 answers nothing until `continueL1`. */
  pauseL1(): void {
    process.kill(-(this.#l1.pid ?? 0), "SIGSTOP");
  }

  continueL1(): void {
    process.kill(-(this.#l1.pid ?? 0), "SIGCONT");
  }

  /** Wei of the account that publishes for a node. */
  async setBalance(node: number, wei: bigint): Promise<void> {
    await call(this.#l1.rpc ?? "", "anvil_setBalance", this.nodes[node].publisher, `0x${wei.toString(16)}`);
  }

  async stop(): Promise<void> {
    if (this.#l1.pid !== undefined) this.continueL1();
    await this.#devnet.stop();
  }
}
