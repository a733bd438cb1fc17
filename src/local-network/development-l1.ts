import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { OperatorError } from "../errors/operator-error.ts";
import { L1Error } from "../l1/errors.ts";
import { block, bytes, type L1Log, list, logs, quantity, record } from "../l1/rpc/answers.ts";
import { L1Rpc } from "../l1/rpc/l1-rpc.ts";
import { cannotPay } from "../l1/tx/cannot-pay.ts";
import { LocalSigner } from "../l1/tx/local-signer.ts";
import { type UnsignedTx, withSignature } from "../l1/tx/transaction.ts";
import { zeroBlobSidecars } from "../l1/tx/zero-blob.ts";
import { readBigUint, toHex } from "../protocol/bytes.ts";
import type { Logger } from "../telemetry/logger.ts";
import { LocalNetworkError } from "./local-network-error.ts";
import { dumpState } from "./state-dump.ts";

/** The L1 of a local network does not support setting time and storage. */
class NotADevelopmentL1Error extends OperatorError {
  override readonly errorCode: string = "not-a-development-l1";

  readonly url: string;
  readonly rule: string;

  constructor(url: string, rule: string, options?: ErrorOptions) {
    super(`the L1 at ${url} ${rule}: a local network needs an anvil`, options);
    this.name = "NotADevelopmentL1Error";
    this.url = url;
    this.rule = rule;
  }
}

/** A block with its raw signed transactions, blobs included; 0x texts. */
export interface FullL1Block {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds. */
  timestamp: number;
  transactions: string[];
}

/** A transaction of an account that L1 signs for; 0x texts, the value in wei. */
interface SentTransaction {
  from: string;
  to: string;
  data?: string;
  value?: bigint;
}

/** Milliseconds of real time. */
const MINE_LIMIT_MS = 20_000;
const LOOK_MS = 20;

function receiptOf(value: unknown): { succeeded: boolean; logs: L1Log[] } | undefined {
  if (value === null) return undefined;
  const receipt = record(value, "receipt");
  return { succeeded: quantity(receipt.status, "status") === 1, logs: logs(receipt.logs) };
}

/** A quantity as bytes: its digits, made even in number. */
function evenHex(value: unknown): unknown {
  return typeof value === "string" && value.length % 2 === 1 ? `0x0${value.slice(2)}` : value;
}

const ignored = (): undefined => undefined;

/** More than any fee of a development L1, in wei per gas. */
const WARM_UP_FEE = 10n ** 15n;

/** Anvil's control methods. Every call throws an L1Error. */
export class DevelopmentL1 {
  readonly url: string;
  readonly #rpc: L1Rpc;
  readonly #signal: AbortSignal;
  readonly #logger: Logger;

  /** Called for each storage word that was set, with the latest block at that time. */
  onStorageSet: (at: number, address: string, slot: Uint8Array, word: Uint8Array) => Promise<void> = async () => {};

  constructor(url: string, signal: AbortSignal, logger: Logger, retryDelaysMs?: readonly number[]) {
    this.url = url;
    this.#signal = signal;
    this.#logger = logger;
    this.#rpc = new L1Rpc({ urls: [url], signal, logger, timeoutMs: 60_000, retryDelaysMs });
  }

  /** Throws NotADevelopmentL1Error, and a WrongChainError if the chain id differs. */
  async check(chainId: number): Promise<void> {
    await this.#rpc.checkChain(chainId);
    try {
      await this.mining();
    } catch (cause) {
      if (!(cause instanceof L1Error)) throw cause;
      throw new NotADevelopmentL1Error(this.#rpc.urls[0], "does not know anvil_getAutomine", { cause });
    }
  }

  /** Whether automine is on. If it is off, another program controls the chain. */
  mining(): Promise<boolean> {
    return this.#rpc.request({ method: "anvil_getAutomine", params: [], parse: (value) => value === true });
  }

  async setMining(on: boolean): Promise<void> {
    await this.#do("evm_setAutomine", on);
  }

  /** Sets the seconds between a block's timestamp and its parent's. */
  async setBlockInterval(seconds: number): Promise<void> {
    await this.#do("anvil_setBlockTimestampInterval", seconds);
  }

  /**
   * Lets time pass between blocks as on the machine: a block's timestamp is anvil's clock, which evm_setTime,
   * evm_increaseTime and the timestamps of blocks move, and no longer that of its parent and an interval.
   */
  async followClock(): Promise<void> {
    await this.#do("anvil_removeBlockTimestampInterval");
  }

  /**
   * Makes anvil load its KZG setup before the first blob, which takes it seconds: sends it a blob from an account
   * without funds, which it refuses after checking the blob. Unlike a call of the precompile this stops nothing
   * meanwhile.
   */
  async loadBlobChecks(chainId: number): Promise<void> {
    const signer = new LocalSigner(secp256k1.utils.randomSecretKey());
    const tx: UnsignedTx = {
      ...{ chainId, nonce: 0, gas: 21_000n, to: signer.address, value: 0n, data: new Uint8Array() },
      fees: { maxFeePerGas: WARM_UP_FEE, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: WARM_UP_FEE },
      sidecars: zeroBlobSidecars(false),
    };
    const { raw } = withSignature(tx, await signer.signTransaction(tx));
    // The refusal is expected, so the call is not tried again.
    const once = new DevelopmentL1(this.url, this.#signal, this.#logger, []);
    try {
      await once.sendRaw(toHex(raw));
    } catch (error) {
      if (!cannotPay(error)) throw error;
    }
  }

  /**
   * Goes on from a kept state, whose time may be another than the machine's: the next block is `interval` seconds after
   * its last. Mining is on afterwards.
   */
  async resume(interval: number): Promise<void> {
    const { timestamp } = await this.latest();
    await this.setClock(timestamp);
    await this.mineAt(timestamp + interval);
    await this.followClock();
    await this.setMining(true);
  }

  /** Sets anvil's clock, which limits the timestamps of next blocks and starts at the machine's time. Seconds. */
  async setClock(timestamp: number): Promise<void> {
    await this.#do("evm_setTime", timestamp);
  }

  latest(): Promise<{ number: number; timestamp: number }> {
    const parse = (value: unknown) => {
      const latest = block(value);
      if (latest === undefined) throw new NotADevelopmentL1Error(this.url, "has no block");
      return latest;
    };
    return this.#rpc.request({ method: "eth_getBlockByNumber", params: ["latest", false], parse });
  }

  /** Mines one block with a timestamp in seconds later than the latest block's. */
  async mineAt(timestamp: number): Promise<void> {
    await this.#do("evm_setNextBlockTimestamp", timestamp);
    await this.#do("evm_mine");
  }

  latestFull(): Promise<FullL1Block> {
    return this.#fullBlock("latest");
  }

  fullBlock(number: number): Promise<FullL1Block> {
    return this.#fullBlock(`0x${number.toString(16)}`);
  }

  async #fullBlock(tag: string): Promise<FullL1Block> {
    const { hashes, ...header } = await this.#rpc.request({
      method: "eth_getBlockByNumber",
      params: [tag, false],
      parse: (value) => {
        const fields = record(value, "block");
        return {
          number: quantity(fields.number, "block.number"),
          timestamp: quantity(fields.timestamp, "block.timestamp"),
          hash: toHex(bytes(fields.hash, "block.hash", 32)),
          parentHash: toHex(bytes(fields.parentHash, "block.parentHash", 32)),
          hashes: list(fields.transactions, "block.transactions"),
        };
      },
    });
    const raw = (hash: unknown): Promise<string> =>
      this.#rpc.request({
        method: "eth_getRawTransactionByHash",
        params: [hash],
        parse: (value) => toHex(bytes(value, "raw transaction")),
      });
    return { ...header, transactions: await Promise.all(hashes.map(raw)) };
  }

  /** Submits a raw signed transaction with its blobs, 0x text. */
  async sendRaw(transaction: string): Promise<void> {
    await this.#do("eth_sendRawTransaction", transaction);
  }

  storage(address: string, slot: Uint8Array): Promise<Uint8Array> {
    const parse = (value: unknown) => bytes(value, "storage word", 32);
    return this.#rpc.request({ method: "eth_getStorageAt", params: [address, toHex(slot), "latest"], parse });
  }

  /** Visible in blocks mined from now on. */
  async setStorage(address: string, slot: Uint8Array, word: Uint8Array): Promise<void> {
    const at = await this.height();
    await this.#do("anvil_setStorageAt", address, toHex(slot), toHex(word));
    await this.onStorageSet(at, address, slot, word);
  }

  hasCode(address: string): Promise<boolean> {
    const parse = (value: unknown) => bytes(value, "code").length > 0;
    return this.#rpc.request({ method: "eth_getCode", params: [address, "latest"], parse });
  }

  /** Balance in wei. */
  async setBalance(address: string, balance: bigint): Promise<void> {
    await this.#do("anvil_setBalance", address, `0x${balance.toString(16)}`);
  }

  /** Addresses of the accounts that L1 signs for; lower-case 0x text. */
  accounts(): Promise<string[]> {
    const parse = (value: unknown) => list(value, "accounts").map((one) => toHex(bytes(one, "account", 20)));
    return this.#rpc.request({ method: "eth_accounts", params: [], parse });
  }

  /** In wei. */
  balance(address: string): Promise<bigint> {
    const parse = (value: unknown) => readBigUint(bytes(evenHex(value), "balance"));
    return this.#rpc.request({ method: "eth_getBalance", params: [address, "latest"], parse });
  }

  /**
   * Sends a transaction from an account that L1 signs for, and resolves with its logs once it is mined. Throws a
   * LocalNetworkError if it reverts or is not mined.
   */
  async send({ from, to, data = "0x", value = 0n }: SentTransaction): Promise<L1Log[]> {
    const transaction = { from, to, data, value: `0x${value.toString(16)}` };
    const parse = (sent: unknown) => toHex(bytes(sent, "transaction hash", 32));
    const hash = await this.#rpc.request({ method: "eth_sendTransaction", params: [transaction], parse });
    for (const end = performance.now() + MINE_LIMIT_MS; performance.now() < end; await sleep(LOOK_MS)) {
      const receipt = await this.#rpc.request({
        method: "eth_getTransactionReceipt",
        params: [hash],
        parse: receiptOf,
      });
      if (receipt === undefined) continue;
      if (!receipt.succeeded) throw new LocalNetworkError(`The transaction ${hash} reverted on L1`);
      return receipt.logs;
    }
    throw new LocalNetworkError(`L1 did not mine the transaction ${hash}`);
  }

  height(): Promise<number> {
    return this.#rpc.request({
      method: "eth_blockNumber",
      params: [],
      parse: (value) => quantity(value, "block number"),
    });
  }

  /** Writes the whole chain to a file and syncs it to disk. */
  async writeState(file: string): Promise<void> {
    const state = Readable.from(dumpState(this.url, this.#signal), { objectMode: false });
    await pipeline(state, createGunzip(), createWriteStream(file, { flush: true }));
  }

  /** Returns the id of a snapshot of the whole chain, which anvil has in memory. */
  snapshot(): Promise<string> {
    const parse = (value: unknown) => `0x${quantity(value, "snapshot id").toString(16)}`;
    return this.#rpc.request({ method: "evm_snapshot", params: [], parse });
  }

  /** Goes back to a snapshot, which is then gone, as are later ones. False for an unknown one. */
  revert(id: string): Promise<boolean> {
    return this.#rpc.request({ method: "evm_revert", params: [id], parse: (value) => value === true });
  }

  async #do(method: string, ...params: unknown[]): Promise<void> {
    await this.#rpc.request({ method, params, parse: ignored });
  }
}
