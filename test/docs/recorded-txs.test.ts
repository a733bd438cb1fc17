import { expect, test } from "vitest";
import { BLOCK_HEADER_BYTES, headerTimestamp } from "../../src/protocol/block-header.ts";
import { readBigUint } from "../../src/protocol/bytes.ts";
import {
  type AccumulatedData,
  isForPublic,
  privateAccumulatedData,
  publicAccumulatedData,
} from "../../src/protocol/tx/accumulated-data.ts";
import { txGasSettings } from "../../src/protocol/tx/gas-settings.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import type { Tx } from "../../src/protocol/tx/tx.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";

/**
 * docs/protocol/07-transactions-and-fees.md#75-time-and-anchor and
 * docs/protocol/07-transactions-and-fees.md#77-gas-of-the-private-part, implemented from the document alone and
 * compared with the recorded transactions.
 */

const PRICES = {
  public: { fixed: 540_000, noteHash: 19_275, nullifier: 30_800, message: 5_239, log: 2_500, classLog: 73_000 },
  private: { fixed: 440_000, noteHash: 9_200, nullifier: 16_000, message: 5_200, log: 2_500, classLog: 73_000 },
};

function gasOf(parts: AccumulatedData[], price: (typeof PRICES)["public"], calls: number) {
  const count = (of: (part: AccumulatedData) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const noteHashes = count((part) => part.noteHashes.length);
  const nullifiers = count((part) => part.nullifiers.length);
  const messages = count((part) => part.l2ToL1Msgs.length);
  const logs = count((part) => part.privateLogs.length);
  const classLogs = count((part) => part.contractClassLogs.length);
  const logFields = count((part) => part.privateLogs.reduce((sum, fields) => sum + fields.length / 32 + 1, 0));
  const classLogFields = count((part) => part.contractClassLogs.reduce((sum, { length }) => sum + length + 1, 0));
  return {
    daGas: 96 + 32 * (noteHashes + nullifiers + messages + logFields + classLogFields),
    l2Gas:
      price.fixed +
      price.noteHash * noteHashes +
      price.nullifier * nullifiers +
      price.message * messages +
      price.log * logs +
      price.classLog * classLogs +
      20_000 * calls,
  };
}

function expectedGas({ data }: Tx) {
  if (!isForPublic(data)) return gasOf([privateAccumulatedData(data)], PRICES.private, 0);
  const { nonRevertible, revertible, setupCalls, appCalls, teardownCall } = publicAccumulatedData(data);
  const gas = gasOf([nonRevertible, revertible], PRICES.public, setupCalls.length + appCalls.length);
  const teardown = teardownCall === undefined ? { daGas: 0, l2Gas: 0 } : txGasSettings(data).teardownGasLimits;
  return { daGas: gas.daGas + teardown.daGas, l2Gas: gas.l2Gas + teardown.l2Gas };
}

const KINDS = ["noteHashes", "nullifiers", "l2ToL1Msgs", "privateLogs", "contractClassLogs"] as const;

function kindsOf(parts: AccumulatedData[]): string[] {
  return KINDS.filter((kind) => parts.some((part) => part[kind].length > 0));
}

const txs = recordedTxs().map(({ tx }) => tx);

test("recorded transactions expire one second less than a day after their anchor block", () => {
  const lifetimes = txs.map(({ data }) => {
    const anchor = data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.anchorHeader + BLOCK_HEADER_BYTES);
    return readBigUint(data, TX_DATA_AT.expirationTimestamp, 8) - headerTimestamp(anchor);
  });
  expect(lifetimes).toEqual(txs.map(() => 86_399n));
});

test("the documented formulas give the private gas of every recorded transaction", () => {
  expect(txs.map(({ data }) => txGasSettings(data).gasUsed)).toEqual(txs.map(expectedGas));
});

test("the recorded transactions have effects of every kind, except messages from public ones", () => {
  const [forPublic, privateOnly] = [true, false].map((form) => txs.filter(({ data }) => isForPublic(data) === form));
  const parts = forPublic.map(({ data }) => publicAccumulatedData(data));
  const publicKinds = kindsOf(parts.flatMap(({ nonRevertible, revertible }) => [nonRevertible, revertible]));
  expect(kindsOf(privateOnly.map(({ data }) => privateAccumulatedData(data)))).toEqual(KINDS);
  expect(publicKinds).toEqual(KINDS.filter((kind) => kind !== "l2ToL1Msgs"));
  expect(parts.some(({ appCalls }) => appCalls.length > 0)).toBe(true);
});
