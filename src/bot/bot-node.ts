import { wholeExchange } from "../http/exchange.ts";
import type { BlockHeader } from "../protocol/block-header.ts";
import { toHex } from "../protocol/bytes.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import type { Fr } from "../protocol/field.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { JsonWriter } from "../rpc/codecs/json/json-writer.ts";
import { encodeTx } from "../rpc/codecs/shared/tx.ts";
import { BotCallError } from "./errors.ts";
import { type BlockHeaderJson, blockHeaderFromJson } from "./header-json.ts";

const CALL_LIMIT_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

export type TxStatus = "dropped" | "pending" | "proposed" | "checkpointed" | "proven" | "finalized";

/** Receipt of a tx, as returned by the node (docs/protocol/05-rpc.md#524-receipts-and-the-pool). */
export interface TxReceipt {
  status: TxStatus;
  executionResult?: string;
  blockNumber?: number;
  error?: string;
}

export interface NetworkFacts {
  l1ChainId: number;
  rollupVersion: number;
  realProofs: boolean;
}

interface Answer {
  result?: unknown;
  error?: { message?: unknown };
}

/** JSON-RPC client for the bot's node. Every call throws an HttpError or a BotCallError. */
export class BotNode {
  readonly #url: string;
  readonly #adminUrl: string | undefined;
  readonly #signal: AbortSignal;

  /** `signal` aborts calls in progress. */
  constructor(url: string, adminUrl: string | undefined, signal: AbortSignal) {
    this.#url = url;
    this.#adminUrl = adminUrl;
    this.#signal = signal;
  }

  get hasAdmin(): boolean {
    return this.#adminUrl !== undefined;
  }

  network(): Promise<NetworkFacts> {
    return this.#call<NetworkFacts>("node_getNodeInfo");
  }

  /** Header of the latest block. */
  async header(): Promise<BlockHeader> {
    return blockHeaderFromJson(await this.#call<BlockHeaderJson>("node_getBlockHeader", "latest"));
  }

  async minFees(): Promise<GasFees> {
    const fees = await this.#call<Record<keyof GasFees, string>>("node_getCurrentMinFees");
    return { feePerDaGas: BigInt(fees.feePerDaGas), feePerL2Gas: BigInt(fees.feePerL2Gas) };
  }

  async hasContract(address: Fr): Promise<boolean> {
    return (await this.#call<unknown>("node_getContract", toHex(address))) !== undefined;
  }

  async storage(contract: Fr, slot: Fr): Promise<bigint> {
    return BigInt(await this.#call<string>("node_getPublicStorageAt", "latest", toHex(contract), toHex(slot)));
  }

  pendingCount(): Promise<number> {
    return this.#call<number>("node_getPendingTxCount");
  }

  receipt(txHash: Fr): Promise<TxReceipt> {
    return this.#call<TxReceipt>("node_getTxReceipt", toHex(txHash));
  }

  async send(hash: Fr, tx: Tx): Promise<void> {
    const out = new JsonWriter();
    encodeTx(out, { hash, tx, withProof: true });
    await this.#post(this.#url, "node_sendTx", `[${Buffer.from(out.take()).toString("utf8")}]`);
  }

  /** The sequencer's minimum number of txs per block. */
  async minTxsPerBlock(): Promise<number> {
    const { minTxsPerBlock = 1 } = await this.#adminCall<{ minTxsPerBlock?: number }>("nodeAdmin_getConfig");
    return minTxsPerBlock;
  }

  async setMinTxsPerBlock(minTxsPerBlock: number): Promise<void> {
    await this.#adminCall("nodeAdmin_setConfig", { minTxsPerBlock });
  }

  #call<T>(method: string, ...params: unknown[]): Promise<T> {
    return this.#post(this.#url, method, JSON.stringify(params));
  }

  #adminCall<T>(method: string, ...params: unknown[]): Promise<T> {
    if (this.#adminUrl === undefined) throw new BotCallError(method, 0, "no admin URL is given");
    return this.#post(this.#adminUrl, method, JSON.stringify(params));
  }

  async #post<T>(url: string, method: string, params: string): Promise<T> {
    const { status, body } = await wholeExchange(
      {
        method: "POST",
        url,
        headers: { "content-type": "application/json" },
        body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
        signal: this.#signal,
      },
      { totalMs: CALL_LIMIT_MS, maxBytes: MAX_ANSWER_BYTES },
    );
    const answer = parsed(method, status, body);
    if (answer.error !== undefined) throw new BotCallError(method, status, String(answer.error.message));
    if (status !== 200) throw new BotCallError(method, status, `HTTP ${status}`);
    // Releases leave out a result that is nothing.
    return (answer.result ?? undefined) as T;
  }
}

function parsed(method: string, status: number, body: Uint8Array): Answer {
  try {
    const answer: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    if (typeof answer === "object" && answer !== null) return answer;
    throw new TypeError("no object");
  } catch (cause) {
    throw new BotCallError(method, status, `HTTP ${status} and no JSON-RPC answer`, { cause });
  }
}
