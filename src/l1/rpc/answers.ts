import { isObject } from "../../json/json-field.ts";
import { equal } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { L1Block } from "../types.ts";

/** Parsers for results of the execution API. Each throws a DecodeError that names the field and the rule. */

export function record(value: unknown, subject: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new DecodeError(subject, `must be an object, got ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

export function list(value: unknown, subject: string): unknown[] {
  if (!Array.isArray(value)) throw new DecodeError(subject, `must be a list, got ${kindOf(value)}`);
  return value;
}

/** A 0x quantity that is a safe integer. */
export function quantity(value: unknown, subject: string): number {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,16}$/.test(value)) {
    throw new DecodeError(
      subject,
      `must be a 0x quantity, got ${typeof value === "string" ? "other text" : kindOf(value)}`,
    );
  }
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new DecodeError(subject, "must be below 2^53");
  return number;
}

/** 0x bytes, of `length` when given. */
export function bytes(value: unknown, subject: string, length?: number): Uint8Array {
  // No repeated group in the pattern: one of hundreds of megabytes, as an L1 state has, would overflow the stack.
  if (typeof value !== "string" || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value)) {
    throw new DecodeError(subject, `must be 0x bytes, got ${typeof value === "string" ? "other text" : kindOf(value)}`);
  }
  const out = new Uint8Array(Buffer.from(value.slice(2), "hex"));
  if (length !== undefined && out.length !== length) {
    throw new DecodeError(subject, `must be ${length} bytes, got ${out.length}`);
  }
  return out;
}

/** Lower-case 0x text of an address. */
export function address(value: unknown, subject: string): string {
  bytes(value, subject, 20);
  return (value as string).toLowerCase();
}

interface ExecutionBlock extends L1Block {
  parentBeaconBlockRoot: Uint8Array | undefined;
}

/**
 * Parses eth_getBlockByNumber for a number; null gives undefined. Throws a DecodeError if another block is returned.
 */
export function blockAt(number: number): (value: unknown) => ExecutionBlock | undefined {
  return (value) => {
    const found = block(value);
    if (found === undefined || found.number === number) return found;
    throw new DecodeError("block.number", `must be the one asked for, ${number}, got ${found.number}`);
  };
}

/** Parses eth_getBlockBy*; null gives undefined. */
export function block(value: unknown): ExecutionBlock | undefined {
  if (value === null) return undefined;
  const fields = record(value, "block");
  const root = fields.parentBeaconBlockRoot;
  return {
    number: quantity(fields.number, "block.number"),
    hash: bytes(fields.hash, "block.hash", 32),
    timestamp: quantity(fields.timestamp, "block.timestamp"),
    parentBeaconBlockRoot: root ? bytes(root, "block.parentBeaconBlockRoot", 32) : undefined,
  };
}

export interface L1Transaction {
  hash: Uint8Array;
  /** Lower-case, undefined for a contract creation. */
  to: string | undefined;
  input: Uint8Array;
  /** The block that contains it; undefined while it is pending or if the endpoint does not tell. */
  blockHash?: Uint8Array;
}

/** Parses eth_getTransactionByHash; null gives undefined. */
export function transaction(value: unknown): L1Transaction | undefined {
  if (value === null) return undefined;
  const fields = record(value, "transaction");
  return {
    hash: bytes(fields.hash, "transaction.hash", 32),
    to: fields.to === null || fields.to === undefined ? undefined : address(fields.to, "transaction.to"),
    input: bytes(fields.input, "transaction.input"),
    blockHash:
      fields.blockHash === null || fields.blockHash === undefined
        ? undefined
        : bytes(fields.blockHash, "transaction.blockHash", 32),
  };
}

export interface L1Log {
  /** Lower-case. */
  address: string;
  topics: Uint8Array[];
  data: Uint8Array;
  blockNumber: number;
  blockHash: Uint8Array;
  transactionHash: Uint8Array;
  logIndex: number;
}

/** Maximum logs in one answer. Endpoints return about 10,000 and refuse larger ranges. */
const MAX_LOGS = 100_000;

/**
 * Parses eth_getLogs into chain order. Drops duplicates and logs that a reorg removed. Throws a DecodeError for two
 * different logs at one position.
 */
export function logs(value: unknown): L1Log[] {
  const out: L1Log[] = [];
  const items = list(value, "logs");
  if (items.length > MAX_LOGS) throw new DecodeError("logs", `must be ${MAX_LOGS} at most, got ${items.length}`);
  for (const item of items) {
    const fields = record(item, "log");
    if (fields.removed === true) continue;
    out.push({
      address: address(fields.address, "log.address"),
      topics: list(fields.topics, "log.topics").map((t, i) => bytes(t, `log.topics[${i}]`, 32)),
      data: bytes(fields.data, "log.data"),
      blockNumber: quantity(fields.blockNumber, "log.blockNumber"),
      blockHash: bytes(fields.blockHash, "log.blockHash", 32),
      transactionHash: bytes(fields.transactionHash, "log.transactionHash", 32),
      logIndex: quantity(fields.logIndex, "log.logIndex"),
    });
  }
  out.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  return out.filter((log, i) => {
    const before = out[i - 1];
    if (before?.blockNumber !== log.blockNumber || before.logIndex !== log.logIndex) return true;
    if (sameLog(before, log)) return false;
    throw new DecodeError(
      "logs",
      `must be one for each place, got two for log ${log.logIndex} of block ${log.blockNumber}`,
    );
  });
}

function sameLog(a: L1Log, b: L1Log): boolean {
  return (
    a.address === b.address &&
    equal(a.blockHash, b.blockHash) &&
    equal(a.transactionHash, b.transactionHash) &&
    equal(a.data, b.data) &&
    a.topics.length === b.topics.length &&
    a.topics.every((topic, i) => equal(topic, b.topics[i]))
  );
}
