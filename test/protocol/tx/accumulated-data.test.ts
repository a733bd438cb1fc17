import { describe, expect, test } from "vitest";
import { calldataHash } from "../../../src/core/derive/call-hashes.ts";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { fr } from "../../../src/protocol/field.ts";
import {
  isForPublic,
  privateAccumulatedData,
  publicAccumulatedData,
} from "../../../src/protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { buildTx } from "../../world/execution/tx-builder.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const core = loadCore();

describe("transactions that clients sent", () => {
  const sent = recordedTxs();

  test("recorded transactions have the hashes that the clients computed", () => {
    expect(sent).toHaveLength(65);
    for (const { hash, tx } of sent) expect(toHex(txHash(core, tx.data))).toBe(toHex(hash));
  });

  test("recorded transactions hold the calldata of their call requests in order, and as many class logs as they announce", () => {
    const forms = { public: 0, private: 0 };
    for (const { tx } of sent) {
      if (!isForPublic(tx.data)) {
        forms.private++;
        const { nullifiers, contractClassLogs } = privateAccumulatedData(tx.data);
        expect(nullifiers.length).toBeGreaterThan(0);
        expect(contractClassLogs).toHaveLength(tx.contractClassLogFields.length);
        continue;
      }
      forms.public++;
      const { nonRevertible, revertible, setupCalls, appCalls, teardownCall } = publicAccumulatedData(tx.data);
      const calls = [...setupCalls, ...appCalls, ...(teardownCall === undefined ? [] : [teardownCall])];
      expect(calls.map((call) => toHex(call.calldataHash))).toEqual(
        tx.publicFunctionCalldata.map(({ values }) => toHex(calldataHash(core, values))),
      );
      expect(nonRevertible.nullifiers.length).toBeGreaterThan(0);
      expect([...nonRevertible.contractClassLogs, ...revertible.contractClassLogs]).toHaveLength(
        tx.contractClassLogFields.length,
      );
    }
    expect(forms).toEqual({ public: 52, private: 13 });
  });
});

const plan = {
  gasLimits: { daGas: 1, l2Gas: 1 },
  gasUsed: { daGas: 0, l2Gas: 0 },
  maxFees: { da: 0n, l2: 0n },
  feePayer: fr(9),
};

describe("accumulated data", () => {
  const log = new Uint8Array(3 * 32).fill(1);

  test("the accumulated data of a tx omits empty entries at any position", () => {
    const { data } = buildTx({
      ...plan,
      nonRevertible: { nullifiers: [fr(0), fr(5), fr(0), fr(6)], privateLogs: [log] },
    });
    const { nullifiers, noteHashes, privateLogs, l2ToL1Msgs } = privateAccumulatedData(data);
    expect(nullifiers.map(toHex)).toEqual([fr(5), fr(6)].map(toHex));
    expect(privateLogs).toEqual([log]);
    expect([noteHashes, l2ToL1Msgs]).toEqual([[], []]);
  });

  test("the accumulated data of a tx with a log whose length exceeds its fields is refused", () => {
    const { data } = buildTx({ ...plan, nonRevertible: { privateLogs: [log] } });
    writeU32(data, TX_DATA_AT.accumulated + 4768 + 512, 17);
    expect(() => privateAccumulatedData(data)).toThrow(
      new DecodeError("private log", "length must be at most 16, got 17"),
    );
  });
});
