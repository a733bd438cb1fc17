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

/** The L1 of a local network does not support setting time and storage. */
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

/** A block with its raw signed transactions, blobs included; 0x texts. */
export interface FullL1Block {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds. */
  timestamp: number;
  transactions: string[];
}

const ignored = (): undefined => undefined;

/** Precompile that verifies a KZG proof (EIP-4844): commitment, point, value and proof. */
const POINT_EVALUATION = "0x000000000000000000000000000000000000000a";

/** Anvil's control methods. Every call throws an L1Error. */
export class DevelopmentL1 {
  readonly url: string;
  readonly #rpc: L1Rpc;

  /** Called for each storage word that was set, with the latest block at that time. */
  onStorageSet: (at: number, address: string, slot: Uint8Array, word: Uint8Array) => Promise<void> = async () => {};

  constructor(url: string, signal: AbortSignal, logger: Logger, retryDelaysMs?: readonly number[]) {
    this.url = url;
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
   * Makes anvil load its KZG setup before the first blob, which takes it seconds: verifies the cheapest valid KZG
   * proof.
   */
  async loadBlobChecks(): Promise<void> {
    const infinity = new Uint8Array(48);
    infinity[0] = 0xc0;
    const input = concat(versionedHashOf(infinity), new Uint8Array(64), infinity, infinity);
    const call = { to: POINT_EVALUATION, data: toHex(input) };
    await this.#rpc.request({ method: "eth_call", params: [call, "latest"], parse: ignored });
  }

  /**
   * Goes on from a kept state, whose time may be another than the machine's: the next block is `interval` seconds after
   * its last. Mining is on afterwards.
   */
  async resume(interval: number): Promise<void> {
    const { timestamp } = await this.latest();
    await this.setClock(timestamp);
    await this.mineAt(timestamp + interval);
    await this.setBlockInterval(interval);
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

  height(): Promise<number> {
    return this.#rpc.request({
      method: "eth_blockNumber",
      params: [],
      parse: (value) => quantity(value, "block number"),
    });
  }

  /** Writes the whole chain to a file and syncs it to disk. */
  async writeState(file: string): Promise<void> {
    const parse = (value: unknown) => bytes(value, "state");
    const state = await this.#rpc.request({ method: "anvil_dumpState", params: [], parse });
    await pipeline(Readable.from([Buffer.from(state)]), createGunzip(), createWriteStream(file, { flush: true }));
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
