import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { OperatorError } from "../../errors/operator-error.ts";
import { versionedHashOf } from "../../l1/blobs/blob-offer.ts";
import { L1Error } from "../../l1/errors.ts";
import { block, bytes, list, quantity, record } from "../../l1/rpc/answers.ts";
import { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { concat, toHex } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** The L1 of a local network is not one whose time and storage can be set. */
export class NotADevelopmentL1Error extends OperatorError {
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

/** A block with its transactions as they were signed, blobs included; 0x texts. */
export interface FullL1Block {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds. */
  timestamp: number;
  transactions: string[];
}

const ignored = (): undefined => undefined;

/** Precompiled contract that checks a KZG proof (EIP-4844): a commitment, a point, a value and a proof. */
const POINT_EVALUATION = "0x000000000000000000000000000000000000000a";

/** What an anvil lets its user do to its chain. Every call throws an L1Error. */
export class DevelopmentL1 {
  readonly url: string;
  readonly #rpc: L1Rpc;

  /** Told of each word of storage that was set, and the latest block at that time. */
  onStorageSet: (at: number, address: string, slot: Uint8Array, word: Uint8Array) => Promise<void> = async () => {};

  constructor(url: string, signal: AbortSignal, logger: Logger, retryDelaysMs?: readonly number[]) {
    this.url = url;
    this.#rpc = new L1Rpc({ urls: [url], signal, logger, timeoutMs: 60_000, retryDelaysMs });
  }

  /** Throws NotADevelopmentL1Error, and a WrongChainError for another chain than expected. */
  async check(chainId: number): Promise<void> {
    await this.#rpc.checkChain(chainId);
    try {
      await this.mining();
    } catch (cause) {
      if (!(cause instanceof L1Error)) throw cause;
      throw new NotADevelopmentL1Error(this.#rpc.urls[0], "does not know anvil_getAutomine", { cause });
    }
  }

  /** Whether each transaction is mined when it comes. Where it is off, somebody else is in control of the chain. */
  mining(): Promise<boolean> {
    return this.#rpc.request({ method: "anvil_getAutomine", params: [], parse: (value) => value === true });
  }

  async setMining(on: boolean): Promise<void> {
    await this.#do("evm_setAutomine", on);
  }

  /** Makes each block that many seconds later than its parent. */
  async setBlockInterval(seconds: number): Promise<void> {
    await this.#do("anvil_setBlockTimestampInterval", seconds);
  }

  /** Has it load what it checks blobs with, which takes it seconds, before the first blob comes: the cheapest true KZG statement. */
  async loadBlobChecks(): Promise<void> {
    const infinity = new Uint8Array(48);
    infinity[0] = 0xc0;
    const input = concat(versionedHashOf(infinity), new Uint8Array(64), infinity, infinity);
    const call = { to: POINT_EVALUATION, data: toHex(input) };
    await this.#rpc.request({ method: "eth_call", params: [call, "latest"], parse: ignored });
  }

  /**
   * Goes on from a kept state, whose time may be another than the machine's: the next block is `interval` seconds after its last. Mining is on
   * afterwards.
   */
  async resume(interval: number): Promise<void> {
    const { timestamp } = await this.latest();
    await this.setClock(timestamp);
    await this.mineAt(timestamp + interval);
    await this.setBlockInterval(interval);
    await this.setMining(true);
  }

  /** Sets the clock that it checks the times of next blocks against, which starts as the machine's. Seconds. */
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

  /** Mines one block at a time, in seconds, that is past the latest block's. */
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

  /** Hands a signed transaction in, 0x text, with its blobs. */
  async sendRaw(transaction: string): Promise<void> {
    await this.#do("eth_sendRawTransaction", transaction);
  }

  storage(address: string, slot: Uint8Array): Promise<Uint8Array> {
    const parse = (value: unknown) => bytes(value, "storage word", 32);
    return this.#rpc.request({ method: "eth_getStorageAt", params: [address, toHex(slot), "latest"], parse });
  }

  /** Seen by reads at blocks that are mined from now on. */
  async setStorage(address: string, slot: Uint8Array, word: Uint8Array): Promise<void> {
    const at = await this.height();
    await this.#do("anvil_setStorageAt", address, toHex(slot), toHex(word));
    await this.onStorageSet(at, address, slot, word);
  }

  hasCode(address: string): Promise<boolean> {
    const parse = (value: unknown) => bytes(value, "code").length > 0;
    return this.#rpc.request({ method: "eth_getCode", params: [address, "latest"], parse });
  }

  /** Wei. */
  async setBalance(address: string, balance: bigint): Promise<void> {
    await this.#do("anvil_setBalance", address, `0x${balance.toString(16)}`);
  }

  height(): Promise<number> {
    return this.#rpc.request({
      method: "eth_blockNumber",
      params: [],
      parse: (value) => quantity(value, "block number"),
    });
  }

  /** Writes the whole chain to a file, which is on the disk then. */
  async writeState(file: string): Promise<void> {
    const parse = (value: unknown) => bytes(value, "state");
    const state = await this.#rpc.request({ method: "anvil_dumpState", params: [], parse });
    await pipeline(Readable.from([Buffer.from(state)]), createGunzip(), createWriteStream(file, { flush: true }));
  }

  async #do(method: string, ...params: unknown[]): Promise<void> {
    await this.#rpc.request({ method, params, parse: ignored });
  }
}
