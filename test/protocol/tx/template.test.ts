import { expect, test } from "vitest";
import { calldataHash } from "../../../src/core/derive/call-hashes.ts";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { concat, equal, toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { isForPublic, publicAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { txGasSettings } from "../../../src/protocol/tx/gas-settings.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { publicCalls } from "../../../src/protocol/tx/public-calls.ts";
import { withCalldata, withFreshEffects, withTerms } from "../../../src/protocol/tx/template.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const core = loadCore();
/** One in eight of the recorded transactions. */
const recorded = recordedTxs().filter((_, i) => i % 8 === 0);
const hashOf = (calldata: Uint8Array) => calldataHash(core, calldata);

test("a template without changes is the recorded transaction", () => {
  for (const { tx, hash } of recorded) {
    expect(toHex(txHash(core, withTerms(tx, {}).data))).toBe(toHex(hash));
    expect(toHex(txHash(core, withCalldata(tx, (calldata) => calldata, hashOf).data))).toBe(toHex(hash));
  }
});

test("terms change only the parts that they name", () => {
  const { tx } = recorded[0];
  const before = new Uint8Array(tx.data);
  const anchor = new Uint8Array(recorded[4].tx.data).slice(TX_DATA_AT.anchorHeader, TX_DATA_AT.chainId);
  const terms = {
    anchor,
    chainId: fr(5),
    version: fr(6),
    gasLimits: { daGas: 1, l2Gas: 2 },
    gasUsed: { daGas: 3, l2Gas: 4 },
    maxFeesPerGas: { feePerDaGas: 5n, feePerL2Gas: 6n },
    maxPriorityFeesPerGas: { feePerDaGas: 7n, feePerL2Gas: 8n },
    expirationTimestamp: 9n,
  };
  const { data } = withTerms(tx, terms);
  expect(equal(tx.data, before)).toBe(true);
  const { teardownGasLimits, ...gas } = txGasSettings(data);
  const { gasLimits, gasUsed, maxFeesPerGas, maxPriorityFeesPerGas } = terms;
  expect(gas).toEqual({ gasLimits, gasUsed, maxFeesPerGas, maxPriorityFeesPerGas });
  expect(teardownGasLimits).toEqual(txGasSettings(before).teardownGasLimits);
  expect(equal(data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.chainId), anchor)).toBe(true);
  expect(data.slice(TX_DATA_AT.chainId, TX_DATA_AT.gasLimits)).toEqual(concat(fr(5), fr(6)));
  expect(data.subarray(TX_DATA_AT.expirationTimestamp, TX_DATA_AT.accumulated)).toEqual(fr(9).slice(24));
  expect(equal(data.subarray(TX_DATA_AT.accumulated), before.subarray(TX_DATA_AT.accumulated))).toBe(true);
  expect(
    equal(
      data.subarray(TX_DATA_AT.vkTreeRoot, TX_DATA_AT.gasUsed),
      before.subarray(TX_DATA_AT.vkTreeRoot, TX_DATA_AT.gasUsed),
    ),
  ).toBe(true);
});

test("a tx template with an anchor of another length is refused", () => {
  expect(() => withTerms(recorded[0].tx, { anchor: new Uint8Array(439) })).toThrow(
    "a block header has 440 bytes, got 439",
  );
});

test("fresh effects are distinct, equal in number, and do not modify the recorded transaction", () => {
  for (const { tx, hash } of recorded) {
    const given: string[] = [];
    const next = () => {
      const value = fr(1n << BigInt(given.length + 1));
      given.push(toHex(value));
      return value;
    };
    const { data } = withFreshEffects(tx, next);
    expect(data).toHaveLength(tx.data.length);
    expect(given.length).toBeGreaterThan(0);
    expect(toHex(txHash(core, tx.data))).toBe(toHex(hash));
    expect(toHex(txHash(core, data))).not.toBe(toHex(hash));
  }
});

test("replaced calldata is found by its hash", () => {
  const found = recorded.find(({ tx }) => isForPublic(tx.data) && tx.publicFunctionCalldata.length > 0);
  if (found === undefined) throw new Error("no tx with public calls was recorded");
  const changed = withCalldata(
    found.tx,
    (calldata, call) => {
      calldata.set(fr(1000 + call), calldata.length - 32);
      return calldata;
    },
    hashOf,
  );
  const { setupCalls, appCalls, teardownCall } = publicAccumulatedData(changed.data);
  const requests = [...setupCalls, ...appCalls, ...(teardownCall ? [teardownCall] : [])];
  for (const [call, { calldata, request }] of publicCalls(requests, changed).entries()) {
    expect(calldata.subarray(-32)).toEqual(fr(1000 + call));
    expect(toHex(request.calldataHash)).toBe(toHex(hashOf(calldata)));
  }
});
