import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { BotNode } from "../../src/bot/bot-node.ts";
import type { Core } from "../../src/core/core.ts";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { ACCUMULATED_ARRAYS } from "../../src/protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import type { TxTerms } from "../../src/protocol/tx/template.ts";
import type { Tx } from "../../src/protocol/tx/tx.ts";
import { mintTx, type TokenTxs, type TransferPlan, tokenTxs, transferTx } from "../../src/recorded-txs/transfers.ts";
import { JsonWriter } from "../../src/rpc/codecs/json/json-writer.ts";
import { encodeTx } from "../../src/rpc/codecs/shared/tx.ts";
import { LoadError } from "./wrk.ts";

/** Accounts of a local network that pay in turn. */
const PAYERS = [
  "0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331",
  "0x00cedf87a800bd88274762d77ffd93e97bc881d1fc99570d62ba97953597914d",
  "0x1dd551228da3a56b5da5f5d73728e08d8114f59897c27136f1bcdd4c05028905",
].map(fromHex);
const RECIPIENT = fr(0xbe7c);
/** Multiple of the current min fee, so that pending txs stay valid while it rises. */
const FEE_TIMES = 4n;
const FAR = 2n ** 40n;
const CONNECTIONS = 8;

/**
 * Position of the only nullifier in the data of a public transfer. Base64 is rewritten in whole triples of bytes around
 * it.
 */
const NULLIFIER_AT = TX_DATA_AT.accumulated + ACCUMULATED_ARRAYS.nullifiers.at;
const TRIPLES_FROM = Math.floor(NULLIFIER_AT / 3) * 3;
const TRIPLES_TO = Math.ceil((NULLIFIER_AT + 32) / 3) * 3;

type Transfers = Pick<TransferPlan, "privateTransfers" | "publicTransfers">;

/** A sendTx request with one public transfer; replacing the nullifier makes another tx. */
interface Pattern {
  body: Buffer;
  /** The bytes of the rewritten triples, and their position in the body. */
  triples: Uint8Array;
  at: number;
}

function randomFr(): Uint8Array {
  const value = new Uint8Array(32);
  value.set(randomBytes(31), 1);
  return value;
}

function sendBody(hash: Uint8Array, tx: Tx): Buffer {
  const out = new JsonWriter();
  encodeTx(out, { hash, tx, withProof: true });
  const json = Buffer.from(out.take());
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"node_sendTx","params":['),
    json,
    Buffer.from("]}"),
  ]);
}

/**
 * Public token transfers on a local network that checks no proofs; they work on any implementation. Making one costs a
 * copy of its body: only the base64 of the nullifier is rewritten, and nothing is hashed.
 */
export class TxTraffic {
  readonly url: string;
  readonly node: BotNode;
  readonly #core: Core = loadCore();
  readonly #txs: TokenTxs = tokenTxs();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  #patterns: Pattern[] = [];
  #made = 0;
  #fresh: TxTerms | undefined;

  constructor(url: string) {
    this.url = url;
    this.node = new BotNode(url, undefined, new AbortController().signal);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #terms(): Promise<TxTerms> {
    const [network, anchor, fees] = await Promise.all([this.node.network(), this.node.header(), this.node.minFees()]);
    return {
      anchor,
      chainId: fr(network.l1ChainId),
      version: fr(network.rollupVersion),
      expirationTimestamp: FAR,
      maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: fees.feePerL2Gas * FEE_TIMES },
    };
  }

  /** Sends a tx that gives the sender tokens. Returns its hash. */
  async mint(): Promise<string> {
    return this.#sendHashed(
      mintTx(this.#core, this.#txs, { amount: 10n ** 15n, terms: await this.#terms(), next: randomFr }),
    );
  }

  #transfer(terms: TxTerms, payer: Uint8Array): Tx {
    const tx = this.#transfers(terms, { privateTransfers: 0, publicTransfers: 1 });
    tx.data.set(payer, TX_DATA_AT.feePayer);
    return tx;
  }

  /** Sends one transfer. Returns its hash. */
  async sendOne(): Promise<string> {
    return this.#sendHashed(this.#transfer(await this.#terms(), PAYERS[0]));
  }

  /** Sends a tx with one private transfer and no public call. Returns its hash. */
  async sendPrivate(): Promise<string> {
    return this.#sendHashed(this.#transfers(await this.#terms(), { privateTransfers: 1, publicTransfers: 0 }));
  }

  /**
   * Sends a tx with the given transfers and the terms of the last refresh. Rejects with a LoadError if it is refused.
   */
  async sendFresh(transfers: Transfers): Promise<void> {
    this.#fresh ??= await this.#terms();
    const tx = this.#transfers(this.#fresh, transfers);
    tx.data.set(PAYERS[this.#made++ % PAYERS.length], TX_DATA_AT.feePayer);
    // The node computes the hash itself.
    await this.#post(sendBody(new Uint8Array(32), tx));
  }

  #transfers(terms: TxTerms, transfers: Transfers): Tx {
    const plan = { ...transfers, recipient: RECIPIENT, amount: 1n, terms, next: randomFr };
    return transferTx(this.#core, this.#txs, plan);
  }

  async #sendHashed(tx: Tx): Promise<string> {
    const hash = txHash(this.#core, tx.data);
    await this.#post(sendBody(hash, tx));
    return toHex(hash);
  }

  /** Reads the latest anchor and the current fees. */
  async refresh(): Promise<void> {
    const terms = await this.#terms();
    this.#fresh = terms;
    this.#patterns = PAYERS.map((payer) => {
      const tx = this.#transfer(terms, payer);
      const body = sendBody(new Uint8Array(32), tx);
      const start = body.indexOf('"data":"') + 8;
      return { body, triples: tx.data.slice(TRIPLES_FROM, TRIPLES_TO), at: start + (TRIPLES_FROM / 3) * 4 };
    });
  }

  /** Sends another transfer with the values of the last refresh. Rejects with a LoadError if it is refused. */
  async sendNext(): Promise<void> {
    const { body, triples, at } = this.#patterns[this.#made++ % this.#patterns.length];
    const own = Buffer.from(body);
    const changed = Buffer.from(triples);
    changed.set(randomFr(), NULLIFIER_AT - TRIPLES_FROM);
    own.write(changed.toString("base64"), at, "latin1");
    await this.#post(own);
  }

  #post(body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": body.length };
      const sent = request(this.url, { method: "POST", agent: this.#agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          if (response.statusCode === 200 && !text.includes('"error"')) resolve();
          else reject(new LoadError(this.url, `HTTP ${response.statusCode} to a tx`, text.slice(0, 300)));
        });
      });
      sent.once("error", (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just when it was reused, so it has read nothing.
        if (sent.reusedSocket && error.code === "ECONNRESET") this.#post(body).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });
  }
}
