import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type Hex, keccak256, type Signature, serializeTransaction, toBytes } from "viem";
import { type Anvil, CHAIN_A_REGISTRY, startAnvil } from "./chain-a.ts";

/** A transaction as anvil saves it, with its blobs; numbers are 0x text. */
type SavedTransaction = Record<string, string> & {
  accessList?: [];
  blobVersionedHashes?: Hex[];
  blobs?: Hex[];
  commitments?: Hex[];
  proofs?: Hex[];
};

interface SavedBlock {
  header: { number: string; timestamp: string; baseFeePerGas: string };
  transactions: { transaction: Record<"Legacy" | "EIP1559" | "EIP4844", SavedTransaction> }[];
}

/** The parts of a recorded L1 block that are needed to mine it again. */
export interface RecordedBlock {
  number: number;
  timestamp: number;
  /** In wei. The rollup derives the mana price from it, and a proposal must name that price. */
  baseFee: number;
  /** Signed, in wire form, with blobs. */
  transactions: Hex[];
  /** Whether it proposes a checkpoint. */
  proposes: boolean;
}

function wireForm(kind: string, saved: SavedTransaction): Hex {
  const { nonce, gas, to, value, input, r, s, yParity, chainId, gasPrice, maxFeePerGas } = saved;
  const common = { nonce: Number(nonce), gas: BigInt(gas), to: (to ?? undefined) as Hex, value: BigInt(value) };
  const signature: Signature = { r: r as Hex, s: s as Hex, yParity: Number(yParity) };
  const data = input as Hex;
  if (kind === "Legacy") {
    const legacy = { ...signature, v: 27n + BigInt(yParity) };
    return serializeTransaction({ ...common, data, type: "legacy", gasPrice: BigInt(gasPrice) }, legacy);
  }
  const fees = {
    chainId: Number(chainId),
    maxFeePerGas: BigInt(maxFeePerGas),
    maxPriorityFeePerGas: BigInt(saved.maxPriorityFeePerGas),
    accessList: [],
  };
  if (kind === "EIP1559") return serializeTransaction({ ...common, ...fees, data, type: "eip1559" }, signature);
  const { blobVersionedHashes, maxFeePerBlobGas, blobs = [], commitments = [], proofs = [] } = saved;
  const sidecars = blobs.map((blob, i) => ({ blob, commitment: commitments[i], proof: proofs[i] }));
  return serializeTransaction(
    {
      ...common,
      ...fees,
      data,
      type: "eip4844",
      blobVersionedHashes: blobVersionedHashes ?? [],
      maxFeePerBlobGas: BigInt(maxFeePerBlobGas),
      sidecars,
    },
    signature,
  );
}

/** Every block of the recorded L1 in order, genesis first. */
export function recordedBlocks(): RecordedBlock[] {
  const file = fileURLToPath(new URL("../../fixtures/chain-a/l1-state.json.gz", import.meta.url));
  const { blocks } = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as { blocks: SavedBlock[] };
  return blocks
    .map(({ header, transactions }) => {
      const items = transactions.flatMap(({ transaction }) => Object.entries(transaction));
      return {
        number: Number(header.number),
        timestamp: Number(header.timestamp),
        baseFee: Number(header.baseFeePerGas),
        transactions: items.map(([kind, saved]) => wireForm(kind, saved)),
        proposes: items.some(([kind]) => kind === "EIP4844"),
      };
    })
    .sort((a, b) => a.number - b.number);
}

/**
 * Storage word of the rollup that holds pending and proven checkpoint
 * (docs/protocol/04-l1-contracts.md#42-constants-of-a-rollup).
 */
const TIPS_WORD = keccak256(toBytes("aztec.stf.storage"));
const ROLLUP = "0x322813fd9a801c5507c9de605d63cea4f2ce6c44";

/** A snapshot to return to: the anvil state and the next recorded block. */
export interface Moment {
  id: string;
  next: number;
}

export interface ReplayOptions {
  /** Whether each checkpoint is proven before the next one is proposed, as on the recorded network. Default: true. */
  prove?: boolean;
}

/**
 * Replays the recorded L1 on an empty anvil: mines its signed transactions again, block by block at the recorded times.
 * Unlike an anvil that loads the saved state, it has the state of every block, so it can be rolled back and reorganised
 * at any depth. Block hashes differ from the recording from the first block on whose state the recorded network wrote
 * directly.
 */
export class ReplayedL1 {
  readonly registryAddress = CHAIN_A_REGISTRY;
  readonly rollupAddress = ROLLUP;
  readonly #anvil: Anvil;
  readonly #blocks: RecordedBlock[];
  /** Index of the recorded block that is mined next. */
  #next = 1;
  #calls = 0;

  private constructor(anvil: Anvil, blocks: RecordedBlock[]) {
    this.#anvil = anvil;
    this.#blocks = blocks;
  }

  static async start(): Promise<ReplayedL1> {
    const blocks = recordedBlocks();
    const genesis = ["--chain-id", "31337", "--hardfork", "prague", "--timestamp", String(blocks[0].timestamp)];
    return new ReplayedL1(await startAnvil([...genesis, "--no-mining", "--order", "fifo"]), blocks);
  }

  get url(): string {
    return this.#anvil.url;
  }

  /** The recorded block that is mined next, undefined at the end. */
  get next(): RecordedBlock | undefined {
    return this.#blocks[this.#next];
  }

  stop(): Promise<void> {
    return this.#anvil.stop();
  }

  async request<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++this.#calls, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async height(): Promise<number> {
    return Number(await this.request<string>("eth_blockNumber"));
  }

  async latestTimestamp(): Promise<number> {
    const block = await this.request<{ timestamp: string }>("eth_getBlockByNumber", "latest", false);
    return Number(block.timestamp);
  }

  async tips(): Promise<{ pending: number; proven: number }> {
    const word = BigInt(await this.request<string>("eth_getStorageAt", ROLLUP, TIPS_WORD, "latest"));
    return { pending: Number(word >> 128n), proven: Number(word & ((1n << 128n) - 1n)) };
  }

  /** Number of the L1 block that contains the given checkpoint. */
  async heightOfCheckpoint(checkpoint: number): Promise<number> {
    for (let height = await this.height(); ; height--) {
      const before = `0x${(height - 1).toString(16)}`;
      const word = BigInt(await this.request<string>("eth_getStorageAt", ROLLUP, TIPS_WORD, before));
      if (Number(word >> 128n) < checkpoint) return height;
    }
  }

  /**
   * Writes the proven checkpoint into the rollup's storage, as the recorded network did instead of proving. Visible
   * from the next mined block on.
   */
  async prove(checkpoint: number): Promise<void> {
    const { pending } = await this.tips();
    const word = ((BigInt(pending) << 128n) | BigInt(checkpoint)).toString(16).padStart(64, "0");
    await this.request("anvil_setStorageAt", ROLLUP, TIPS_WORD, `0x${word}`);
  }

  /** Mines one block, empty by default. Throws if a transaction reverts. */
  async mine({ timestamp, baseFee, transactions = [] }: Partial<RecordedBlock>): Promise<void> {
    if (timestamp !== undefined) await this.request("evm_setNextBlockTimestamp", timestamp);
    if (baseFee !== undefined) await this.request("anvil_setNextBlockBaseFeePerGas", `0x${baseFee.toString(16)}`);
    const hashes: string[] = [];
    for (const transaction of transactions)
      hashes.push(await this.request<string>("eth_sendRawTransaction", transaction));
    await this.request("evm_mine");
    for (const hash of hashes) {
      const receipt = await this.request<{ status: string } | null>("eth_getTransactionReceipt", hash);
      if (receipt?.status !== "0x1") throw new Error(`transaction ${hash} failed when it was replayed`);
    }
  }

  /** Mines recorded blocks up to the one with this recorded number. */
  async replayTo(number: number, { prove = true }: ReplayOptions = {}): Promise<void> {
    for (; this.#next <= number; this.#next++) {
      const block = this.#blocks[this.#next];
      const { pending } = await this.tips();
      if (block.proposes && prove) await this.prove(pending);
      await this.mine(block);
      // A proposal is one of several calls in its transaction, which succeeds even if the proposal fails.
      if (block.proposes && (await this.tips()).pending !== pending + 1)
        throw new Error(`the proposal of recorded block ${block.number} failed when it was replayed`);
    }
  }

  /** Mines recorded blocks until a checkpoint is pending. */
  async replayToCheckpoint(checkpoint: number, options: ReplayOptions = {}): Promise<void> {
    while ((await this.tips()).pending < checkpoint) await this.replayTo(this.#next, options);
  }

  /** Skips recorded blocks whose time L1 has already passed. */
  skipTo(number: number): void {
    this.#next = number;
  }

  async mark(): Promise<Moment> {
    return { id: await this.request<string>("evm_snapshot"), next: this.#next };
  }

  /** Takes L1 back to a snapshot. A snapshot can be used once. */
  async returnTo({ id, next }: Moment): Promise<void> {
    if (!(await this.request<boolean>("evm_revert", id))) throw new Error(`anvil has no snapshot ${id}`);
    this.#next = next;
  }

  /** Replaces the last blocks by as many empty ones, all with the timestamp of the block before them. */
  async reorganise(depth: number): Promise<void> {
    await this.request("anvil_reorg", depth, []);
  }

  /**
   * Replaces the last `depth` blocks, which must be recorded ones, by empty ones, or with `shorter` drops them. Returns
   * the recorded blocks, which are mined next again.
   */
  async takeBack(depth: number, { shorter = false } = {}): Promise<RecordedBlock[]> {
    if (shorter) await this.request("anvil_rollback", depth);
    else await this.reorganise(depth);
    this.#next -= depth;
    return this.#blocks.slice(this.#next, this.#next + depth);
  }
}
