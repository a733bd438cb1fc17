import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { siloNullifier } from "../../src/core/derive/nullifier.ts";
import type { ContractSource } from "../../src/execution/contract-directory.ts";
import { type ProcessOptions, processTxs } from "../../src/execution/process-txs.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { NOTE_HASH_TREE, NULLIFIER_TREE } from "../../src/protocol/constants.ts";
import { INSTANCE_REGISTRY } from "../../src/protocol/contracts/contract-events.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { layoutOf } from "../../src/protocol/tx/kernel-output.ts";
import type { Tx } from "../../src/protocol/tx/tx.ts";
import type { Verdict } from "../../src/protocol/tx/verdict.ts";
import { core, hashed, sourceOf } from "../world/execution/avm-vectors.ts";
import { BALANCE, balanceOf, fundedState, payersTx, treesOf } from "../world/execution/funded-state.ts";

const vm = new Vm(V4);
const run = (state: ReturnType<typeof fundedState>, txs: Tx[], options: Partial<ProcessOptions> = {}) =>
  processTxs(vm, state, txs.map(hashed), { mode: "build", ...options });

/** The globals of the vectors charge 5 for a unit of L2 gas. */
const FEE = 5000n;

describe("private transactions", () => {
  test("processing private txs applies each to the trees and charges its fee payer", async () => {
    const state = fundedState();
    const before = state.fork.size(NULLIFIER_TREE);
    const { processed, totalGas, blobFields, stopped } = await run(state, [payersTx(0x4242), payersTx(0x4243)]);
    expect(processed.map(({ index, effect }) => [index, effect.revertCode, toHex(effect.nullifiers)])).toEqual([
      [0, 0, toHex(fr(0x4242))],
      [1, 0, toHex(fr(0x4243))],
    ]);
    expect(balanceOf(state)).toBe(BALANCE - 2n * FEE);
    expect([totalGas, blobFields, stopped]).toEqual([{ daGas: 0, l2Gas: 2000 }, 2 * 6, undefined]);
    expect(state.fork.size(NULLIFIER_TREE)).toBe(before + 128);
    expect(state.fork.size(NOTE_HASH_TREE)).toBe(128);
  });

  test("processing excludes txs that no block can include, without an effect on the state", async () => {
    const good = [payersTx(0x4242), payersTx(0x4243)];
    const bad: [Tx, RegExp][] = [
      [payersTx(0x4242), /^Transaction 0x[0-9a-f]{64} failed with duplicate nullifiers$/],
      [payersTx(7), /failed with duplicate nullifiers$/],
      [payersTx(0x55, { maxFees: { da: 10n, l2: 4n } }), /^maxFeesPerGas.feePerL2Gas must be greater than or equal/],
      [
        payersTx(0x56, { feePayer: fr(0xabc) }),
        /^Not enough balance for fee payer to pay for transaction \(got 0 needs 5000\)$/,
      ],
      [payersTx(0x57, { revertible: {} }), /^A tx in the form for public calls must have one$/],
      [payersTx(0x58, { nonRevertible: { nullifiers: [fr(0x58), fr(0x58)] } }), /failed with duplicate nullifiers$/],
      [
        { ...payersTx(0x59), contractClassLogFields: [new Uint8Array(3023 * 32)] },
        /^the tx announces 0 contract class logs but carries 1$/,
      ],
    ];
    const expected = fundedState();
    await run(expected, good);
    const state = fundedState();
    const result = await run(state, [good[0], ...bad.map(([tx]) => tx), good[1]]);
    expect(result.processed.map(({ index }) => index)).toEqual([0, bad.length + 1]);
    expect(result.unprocessable.map(({ index }) => index)).toEqual(bad.map((_, i) => i + 1));
    for (const [i, { reason }] of result.unprocessable.entries()) expect(reason).toMatch(bad[i][1]);
    expect([result.failed, result.skipped, result.stopped]).toEqual([[], [], undefined]);
    expect(treesOf(state)).toEqual(treesOf(expected));
  });

  test("processed txs are undone or kept as a whole, including cached values", async () => {
    const state = fundedState();
    const before = treesOf(state);
    const txs = [payersTx(0x4242), payersTx(0x4243)];
    const dropped = state.openFrame();
    expect((await run(state, txs)).processed).toHaveLength(2);
    dropped.undo();
    expect([treesOf(state), state.fork.depth]).toEqual([before, 0]);
    const kept = state.openFrame();
    expect((await run(state, txs)).processed).toHaveLength(2);
    kept.keep();
    expect([balanceOf(state), state.fork.depth]).toEqual([BALANCE - 2n * FEE, 0]);
    expect((await run(state, txs)).unprocessable).toHaveLength(2);
  });

  test("processing stops at the number of txs and at the deadline", async () => {
    const txs = [payersTx(0x100), payersTx(0x101), payersTx(0x102)];
    const counted = await run(fundedState(), txs, { maxTxs: 2 });
    expect([counted.processed.length, counted.stopped]).toEqual([2, { at: 2, why: "tx count" }]);
    const late = await run(fundedState(), txs, { deadline: Date.now() - 1 });
    expect([late.processed.length, late.stopped]).toEqual([0, { at: 0, why: "deadline" }]);
  });

  test("processing skips txs that might not fit into a new block", async () => {
    const log = new Uint8Array(10 * 32).fill(1);
    const large = payersTx(0x100, { nonRevertible: { nullifiers: [fr(0x100)], privateLogs: [log, log] } });
    const small = payersTx(0x101, { gasLimits: { daGas: 100, l2Gas: 2000 } });
    const blobs = await run(fundedState(), [large, small], { maxBlobFields: 20 });
    expect(blobs.skipped.map(({ index, reason }) => [index, reason])).toEqual([
      [0, "its private part does not fit the 20 blob fields of the block"],
    ]);
    expect(blobs.processed.map(({ index }) => index)).toEqual([1]);
    const gas = await run(fundedState(), [payersTx(0x100), small], { maxGas: { l2Gas: 3000 } });
    expect(gas.skipped.map(({ index, reason }) => [index, reason])).toEqual([
      [0, "its gas limits do not fit what is left of the block's gas"],
    ]);
    expect(gas.processed.map(({ index }) => index)).toEqual([1]);
  });

  test("processing skips and undoes a tx whose effect does not fit into the blobs", async () => {
    const state = fundedState();
    const before = treesOf(state);
    // The estimate is three fields and a nullifier; the fee payment's write takes two more fields.
    const result = await run(state, [payersTx(0x100)], { maxBlobFields: 5 });
    expect(result.skipped.map(({ reason }) => reason)).toEqual([
      "its effect does not fit the 5 blob fields of the block",
    ]);
    expect([result.blobFields, result.totalGas.l2Gas]).toEqual([0, 0]);
    expect(treesOf(state)).toEqual(before);
  });

  test("the re-execution of a block ends at the tx that exceeds the block's gas", async () => {
    const state = fundedState();
    const txs = [payersTx(0x100), payersTx(0x101), payersTx(0x102)];
    const result = await run(state, txs, { mode: "reexecute", maxGas: { l2Gas: 2500 } });
    expect(result.processed.map(({ index }) => index)).toEqual([0, 1]);
    expect(result.stopped).toEqual({ at: 2, why: "block gas" });
    expect(balanceOf(state)).toBe(BALANCE - 2n * FEE);
  });

  test("processing calls the validator with the state that the tx would run on", async () => {
    const state = fundedState();
    const verdicts: Verdict[] = [
      { result: "valid" },
      { result: "invalid", reason: ["Existing nullifier", "Invalid proof"] },
      { result: "skipped", reason: ["Insufficient fee per gas"] },
    ];
    const balances: bigint[] = [];
    const result = await run(state, [payersTx(0x100), payersTx(0x101), payersTx(0x102)], {
      validate: async () => {
        balances.push(balanceOf(state));
        return verdicts[balances.length - 1];
      },
    });
    expect(balances).toEqual([BALANCE, BALANCE - FEE, BALANCE - FEE]);
    expect(result.unprocessable.map(({ index, reason }) => [index, reason])).toEqual([
      [1, "Tx failed preprocess validation: Existing nullifier, Invalid proof"],
    ]);
    expect(result.skipped.map(({ index, reason }) => [index, reason])).toEqual([[2, "Insufficient fee per gas"]]);
  });

  test("processing stops and reports it when the state is gone", async () => {
    const state = fundedState();
    state.fork.invalidate();
    const { processed, failed, stopped } = await run(state, [payersTx(0x100), payersTx(0x101)]);
    expect(processed).toEqual([]);
    expect(failed.map(({ index, reason }) => [index, reason])).toEqual([[0, "Fork not found"]]);
    expect(stopped).toMatchObject({ at: 0, why: "state", cause: { message: "Fork not found" } });
  });
});

/** Returns at once: SET_8 of cell 0, RETURN of no cells. */
const RETURNS = "2700000400" + "3b0000000000";

describe("public transactions", () => {
  const address = fr(0x1001);
  const known = sourceOf([{ address: "0x1001", classId: "0xc1", bytecode: RETURNS }]);
  const call = { address, sender: fr(1), calldata: new Uint8Array(0) };
  const publicTx = (nullifier: number) =>
    payersTx(nullifier, {
      app: [call],
      gasUsed: { daGas: 96, l2Gas: 540_000 },
      gasLimits: { daGas: 500, l2Gas: 600_000 },
    });
  const deployed = (source: ContractSource) => {
    const state = fundedState(source);
    state.fork.insertSequentially(NULLIFIER_TREE, [{ key: siloNullifier(core, INSTANCE_REGISTRY, address) }]);
    return state;
  };

  test("processing a public tx runs its calls", async () => {
    const { processed } = await run(deployed(known), [publicTx(0x100)]);
    expect(processed.map(({ effect, calls }) => [effect.revertCode, calls.length])).toEqual([[0, 1]]);
  });

  test("processing aborts a tx at its time limit or the run's deadline, without an effect on the state", async () => {
    const forever = sourceOf([{ address: "0x1001", classId: "0xc1", bytecode: "2300000000" }]);
    const state = deployed(forever);
    const before = treesOf(state);
    // It would jump for minutes without the time limit.
    const endless = payersTx(0x100, {
      app: [call],
      gasUsed: { daGas: 96, l2Gas: 540_000 },
      gasLimits: { daGas: 500, l2Gas: 2 ** 32 - 1 },
    });
    const fresh = () => new Vm(V4);
    const txs = [endless, payersTx(0x101)].map(hashed);
    const own = await processTxs(fresh(), state, txs, { mode: "reexecute", maxTxMilliseconds: 1_000 });
    expect(own.failed).toMatchObject([{ index: 0, cause: { name: "VmDeadlineError" } }]);
    expect(own.processed.map(({ index }) => index)).toEqual([1]);
    const again = deployed(forever);
    const late = await processTxs(fresh(), again, txs, { mode: "reexecute", deadline: Date.now() + 20 });
    expect(late).toMatchObject({ stopped: { at: 0, why: "deadline" }, failed: [], processed: [] });
    expect(treesOf(again)).toEqual(before);
  });

  test("processing names the cause when contracts cannot be read, and continues with the next tx", async () => {
    const cause = new Error("the disk is gone");
    let broken = true;
    const source: ContractSource = {
      ...known,
      contractInstance(...asked) {
        if (broken) throw cause;
        return known.contractInstance(...asked);
      },
    };
    const state = deployed(source);
    const before = treesOf(state);
    const first = await run(state, [publicTx(0x100)]);
    expect(first.failed).toMatchObject([{ index: 0, reason: "the disk is gone", cause }]);
    expect([first.stopped, treesOf(state)]).toEqual([undefined, before]);
    broken = false;
    expect((await run(state, [publicTx(0x100)])).processed).toHaveLength(1);
  });

  test("processing drops a tx whose contract is deployed but unknown, and one whose class is unknown", async () => {
    const nothing: ContractSource = { contractClass: () => undefined, contractInstance: () => undefined };
    const unknown = await run(deployed(nothing), [publicTx(0x100)]);
    expect(unknown.unprocessable[0].reason).toMatch(/^Contract instance of 0x0*1001 should be found/);
    const source = { ...known, contractClass: () => undefined };
    // A VM that has not loaded the class.
    const classless = await processTxs(new Vm(V4), deployed(source), [hashed(publicTx(0x100))], { mode: "build" });
    expect(classless.unprocessable[0].reason).toMatch(/^Contract class 0x0*c1 of contract 0x0*1001 is not known$/);
  });

  /** As in the reference node, except that negative amounts wrap there. */
  test("a tx that has used more than its limits runs out of gas at its first instruction", async () => {
    const tx = payersTx(0x100, {
      app: [call],
      gasUsed: { daGas: 128, l2Gas: 590_800 },
      gasLimits: { daGas: 1, l2Gas: 1 },
    });
    const { processed } = await run(deployed(known), [tx], { recordCalls: true });
    const [{ effect, gasUsed, revertReason }] = processed;
    expect([effect.revertCode, toHex(effect.transactionFee)]).toEqual([1, toHex(fr(3 + 5))]);
    expect(revertReason).toMatchObject({
      originalMessage: "Out of gas: total L2 used 590827 of 1, total DA used 128 of 1",
      noirErrorStack: ["0.0"],
    });
    const one = { daGas: 1, l2Gas: 1 };
    const none = { daGas: 0, l2Gas: 0 };
    expect(gasUsed).toEqual({ totalGas: one, publicGas: none, teardownGas: none, billedGas: one });
  });
});

test("any tx that passes decoding has exactly one outcome, and does not affect the other txs unless it is processed", async () => {
  const bases = [
    payersTx(0x200, { nonRevertible: { nullifiers: [fr(0x200)], noteHashes: [fr(3)], privateLogs: [fr(9)] } }),
    payersTx(0x201, {
      app: [{ address: fr(0x77), sender: fr(1), calldata: fr(4) }],
      revertible: { noteHashes: [fr(8)] },
    }),
  ];
  const change = fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(fc.nat(1), fc.array(change, { maxLength: 40 }), async (which, changes) => {
      const tx = { ...bases[which], data: bases[which].data.slice() };
      const { at, width, isField } = layoutOf(tx.data);
      for (const { at: place, byte } of changes) {
        // Skips the first byte, which selects the form. A field's first byte stays small, so that it is below the
        // modulus.
        const i = 1 + Math.floor(place * (at.length - 1));
        tx.data[at[i] + (isField[i] === 1 ? 31 : width[i] - 1)] = byte;
        if (isField[i] === 1) tx.data[at[i]] = byte & 0x1f;
      }
      const state = fundedState();
      const before = treesOf(state);
      const { processed, unprocessable, failed, skipped } = await run(state, [tx], { skippedFees: "public-payer" });
      expect(processed.length + unprocessable.length).toBe(1);
      expect([failed, skipped]).toEqual([[], []]);
      if (processed.length === 0) expect(treesOf(state)).toEqual(before);
    }),
    { numRuns: 60 },
  );
});
