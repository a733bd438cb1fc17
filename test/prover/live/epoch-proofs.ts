import { randomBytes } from "node:crypto";
import {
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
  parseAbiItem,
} from "viem";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { call, until } from "../../world/live/json-rpc.ts";

const VERIFIED = parseAbiItem("event L2ProofVerified(uint256 indexed checkpointNumber, address indexed proverId)");
const PROPOSED = rollupAbi.find((item) => item.type === "event" && item.name === "CheckpointProposed") as Extract<
  (typeof rollupAbi)[number],
  { name: "CheckpointProposed" }
>;
const MESSAGE_SENT = parseAbiItem(
  "event MessageSent(uint256 indexed checkpointNumber, uint256 index, bytes32 indexed hash, bytes16 rollingHash)",
);
const INBOX = parseAbi([
  "function sendL2Message((bytes32 actor, uint256 version) recipient, bytes32 content, bytes32 secretHash) returns (bytes32, uint256)",
]);
/** Of the development L1's accounts, one that nothing else uses. */
const SENDER = 7;
const ETH = 10n ** 18n;

interface NetworkFile {
  l1: number;
  rollupVersion: number;
  l1Contracts: { rollupAddress: Hex; inboxAddress: Hex };
}

export interface EpochProof {
  /** Checkpoints that the proof added. */
  from: number;
  to: number;
  /** Who sent the transaction; lower-case 0x text. */
  sender: string;
  /** Transactions that proved it. */
  times: number;
}

interface Shape {
  checkpoints: string;
  /** Txs of each block, block by block, checkpoint by checkpoint. */
  txs: number[][];
  /** From L1. */
  messages: number;
}

/** Proofs on a development L1, and the contents of what they prove. */
export class EpochProofs {
  readonly #url: string;
  readonly #client: PublicClient;
  readonly #file: NetworkFile;
  readonly #node: string;
  readonly #sender: string;

  private constructor(file: NetworkFile, url: string, node: string, sender: string) {
    this.#file = file;
    this.#url = url;
    this.#node = node;
    this.#sender = sender;
    this.#client = createPublicClient({ transport: http(url) });
  }

  /** `node`: JSON-RPC URL of a node of the network. */
  static async connect(file: NetworkFile, node: string): Promise<EpochProofs> {
    const url = `http://127.0.0.1:${file.l1}`;
    const accounts = (await call(url, "eth_accounts")) as string[];
    return new EpochProofs(file, url, node, accounts[SENDER]);
  }

  async fund(account: string): Promise<void> {
    await call(this.#url, "anvil_setBalance", account, `0x${(1000n * ETH).toString(16)}`);
  }

  /** Sends a message from L1 to L2 that nobody consumes. */
  async sendMessage(): Promise<void> {
    // 31 bytes are always less than the field's modulus.
    const field = (): Hex => `0x00${toHex(randomBytes(31)).slice(2)}`;
    const data = encodeFunctionData({
      abi: INBOX,
      functionName: "sendL2Message",
      args: [{ actor: field(), version: BigInt(this.#file.rollupVersion) }, field(), field()],
    });
    const { inboxAddress: to } = this.#file.l1Contracts;
    await call(this.#url, "eth_sendTransaction", { from: this.#sender, to, data, gas: "0xf4240" });
  }

  /**
   * Takes the L1 blocks since the latest checkpoint was proposed off the chain; the next one has the time that it would
   * have had. Returns the checkpoint's number.
   */
  async rollBack(): Promise<number> {
    const { rollupAddress: address } = this.#file.l1Contracts;
    const proposed = await this.#client.getLogs({ address, event: PROPOSED, fromBlock: 0n, strict: true });
    const last = proposed[proposed.length - 1];
    const { number, timestamp } = await this.#client.getBlock();
    const { timestamp: earlier } = await this.#client.getBlock({ blockNumber: number - 1n });
    await call(this.#url, "anvil_rollback", Number(number - last.blockNumber) + 1);
    await call(this.#url, "evm_setNextBlockTimestamp", Number(timestamp + timestamp - earlier));
    return Number(last.args.checkpointNumber);
  }

  /** Last checkpoint that is proven. */
  async latest(): Promise<number> {
    return (await this.#all()).at(-1)?.to ?? 0;
  }

  /** The first `count` proofs that add checkpoints after `checkpoint`. */
  async after(checkpoint: number, count: number, limitMs: number): Promise<EpochProof[]> {
    return until(`${count} epochs after checkpoint ${checkpoint} are proven`, limitMs, async () => {
      const found = (await this.#all()).filter(({ to }) => to > checkpoint);
      return found.length >= count && found.slice(0, count);
    });
  }

  async shapes(proofs: readonly EpochProof[]): Promise<Shape[]> {
    const sent = await this.#client.getLogs({
      ...{ address: this.#file.l1Contracts.inboxAddress, event: MESSAGE_SENT, fromBlock: 0n, strict: true },
    });
    type Checkpoint = { checkpoint: { blocks: { body: { txEffects: unknown[] } }[] } };
    return Promise.all(
      proofs.map(async ({ from, to }) => {
        const checkpoints = (await call(this.#node, "node_getCheckpoints", from, to - from + 1)) as Checkpoint[];
        return {
          checkpoints: `${from}-${to}`,
          txs: checkpoints.map(({ checkpoint }) => checkpoint.blocks.map(({ body }) => body.txEffects.length)),
          messages: sent.filter(({ args }) => args.checkpointNumber >= from && args.checkpointNumber <= to).length,
        };
      }),
    );
  }

  /** In the order of the chain. */
  async #all(): Promise<EpochProof[]> {
    const { rollupAddress: address } = this.#file.l1Contracts;
    const logs = await this.#client.getLogs({ address, event: VERIFIED, fromBlock: 0n, strict: true });
    const proofs: EpochProof[] = [];
    for (const { args, transactionHash: hash } of logs) {
      const [from, to] = [(proofs.at(-1)?.to ?? 0) + 1, Number(args.checkpointNumber)];
      const before = proofs.find((proof) => proof.to === to);
      if (before !== undefined) before.times++;
      if (to < from) continue;
      const { from: sender } = await this.#client.getTransaction({ hash });
      proofs.push({ from, to, sender: sender.toLowerCase(), times: 1 });
    }
    return proofs;
  }
}
