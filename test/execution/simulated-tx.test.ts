import { describe, expect, test } from "vitest";
import { UnprocessableTxError } from "../../src/execution/errors.ts";
import { executeTx } from "../../src/execution/execute-tx.ts";
import type { SkippedFees } from "../../src/execution/execution-options.ts";
import { SIMULATION, simulatedTx } from "../../src/execution/simulated-tx.ts";
import type { StateOverrides } from "../../src/execution/state-overrides.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import { items } from "../../src/protocol/tx-effect.ts";
import {
  blockStateOf,
  field,
  type GivenTx,
  hashed,
  short,
  type TxCase,
  txOf,
  VECTORS,
} from "../world/execution/avm-vectors.ts";
import { fundedState, payersTx } from "../world/execution/funded-state.ts";
import type { TxPlan } from "../world/execution/tx-builder.ts";
import { op, returnCells, set, TAGS } from "./vm/assemble.ts";

function caseOf(name: string): TxCase {
  const found = VECTORS.txCases.find((given) => given.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

function simulate(given: TxCase, options: Parameters<typeof executeTx>[3] = {}) {
  return simulatedTx(
    executeTx(new Vm(V4), blockStateOf(given), hashed(txOf(given)), { ...SIMULATION, ...options }).executed,
  );
}

const calldataSelector = ({ tx }: TxCase) => toHex(field(tx.app![0].calldata![0]).subarray(28));

test("a simulated transaction returns what each call of app logic returned", () => {
  const given = caseOf("Token: constructor, mint_to_public, transfer_in_public, burn_public, balance");
  const { returned, revert } = simulate(given);
  expect(revert).toBeUndefined();
  expect(returned.map(({ values }) => items(values).map(short))).toEqual(
    given.expect.calls.map(({ output }) => output),
  );
});

test("a simulated transaction names the frames down to the innermost that reverted", () => {
  const given = caseOf("AvmTest.external_call_to_assertion_failure");
  const { revert, returned, effect } = simulate(given);
  expect(effect.revertCode).toBe(1);
  expect(revert?.originalMessage).toBe("Assertion failed: ");
  expect(revert?.functionErrorStack.map(({ contractAddress }) => short(contractAddress))).toEqual([
    given.tx.app![0].address,
    given.tx.app![0].address,
  ]);
  expect(toHex(revert!.functionErrorStack[0].functionSelector!)).toBe(calldataSelector(given));
  expect(revert?.noirErrorStack.every((entry) => /^0\.\d+$/.test(entry))).toBe(true);
  expect(revert?.revertData.length).toBeGreaterThan(0);
  expect(returned).toHaveLength(1);
});

test("a simulated transaction names the reason of every other halt", () => {
  const { revert } = simulate(caseOf("AvmTest.nested_call_to_nothing"));
  expect(revert?.originalMessage).toMatch(/^Contract 0x[1-9a-f][0-9a-f]* is not deployed$/);
  expect(revert?.revertData).toHaveLength(0);
});

test("a simulated transaction has only the reference node's general reason when frames were not recorded", () => {
  const { revert } = simulate(caseOf("AvmTest.assertion_failure"), { recordCalls: false });
  expect(revert).toEqual({
    originalMessage: "TX reverted",
    functionErrorStack: [],
    noirErrorStack: [],
    revertData: new Uint8Array(0),
  });
});

test("a simulated transaction has one empty return value when the private part's effects could not be added", () => {
  const { revert, returned } = simulate(caseOf("65th note hash revertible: app skipped"));
  expect(returned).toEqual([{ values: new Uint8Array(0), nested: [] }]);
  expect(revert?.originalMessage).toBe("Maximum number of note hashes reached");
});

test("a simulated transaction collects debug logs, which survive reverts, up to the limit on their memory reads", () => {
  const given = caseOf("AvmTest.debug_logging");
  const { debugLogs } = simulate(given);
  expect(debugLogs.length).toBeGreaterThan(0);
  for (const { contractAddress } of debugLogs) expect(short(contractAddress)).toBe(given.tx.app![0].address);
  expect(simulate(given, { collectDebugLogs: false }).debugLogs).toEqual([]);
  expect(() => simulate(given, { maxDebugLogReads: 3 })).toThrow(/^debug log: /);
});

test("a simulated transaction runs without a payer, or with one that cannot pay, when fees are not enforced", () => {
  const poor = caseOf("fee payer balance too low: unprocessable");
  const { effect } = simulate(poor, { skippedFees: "public-payer" });
  expect(toHex(effect.publicDataWrites.subarray(-32))).toBe(toHex(fr(0)));
  const none = caseOf("fee payer zero with fee enforcement: unprocessable");
  const unpaid = simulate(none, { skippedFees: "public-payer" });
  const paid = simulate({
    ...none,
    tx: { ...none.tx, feePayer: poor.tx.feePayer },
    pre: { feePayerBalance: "0xffffffffff" },
  });
  expect(unpaid.effect.publicDataWrites.length).toBe(paid.effect.publicDataWrites.length - 64);
});

test("a simulated transaction runs with any fees and payer, also without public calls, when no fees are enforced", () => {
  const own = (plan: Partial<TxPlan>, skippedFees?: SkippedFees) =>
    executeTx(new Vm(V4), fundedState(), hashed(payersTx(0x4242, plan)), { skippedFees });
  const call = { app: [{ address: fr(0x1001), sender: fr(1), calldata: new Uint8Array(0) }] };
  for (const form of [{}, call]) {
    const cheap = { ...form, maxFees: { da: 0n, l2: 0n } };
    const offer = /maxFeesPerGas.* must be greater than or equal/;
    expect(() => own(cheap)).toThrow(offer);
    expect(() => own(cheap, "public-payer")).toThrow(offer);
    const asked = own({ ...form, maxPriorityFees: { da: 0n, l2: 0n } }).executed;
    // The tx pays the block's price without a priority fee, because its maximum leaves no room for one.
    const given = own({ ...cheap, maxPriorityFees: { da: 5n, l2: 5n } }, "all").executed;
    expect(toHex(given.effect.words)).toBe(toHex(asked.effect.words));

    const poor = { ...form, feePayer: fr(0x900d) };
    expect(() => own(poor)).toThrow(/^Not enough balance/);
    expect(toHex(own(poor, "all").executed.effect.publicDataWrites.subarray(-32))).toBe(toHex(fr(0)));
    const nobody = { ...form, feePayer: fr(0) };
    expect(() => own(nobody)).toThrow(UnprocessableTxError);
    expect(own(nobody, "all").executed.effect.publicDataWrites).toHaveLength(0);
  }
  expect(() => own({ feePayer: fr(0x900d) }, "public-payer")).toThrow(/^Not enough balance/);
});

describe.each([V4, V5])("overrides of a simulation on $name", (generation) => {
  const given = caseOf("AvmTest.read_storage_single");
  const address = field(given.tx.app![0].address);

  /** Outputs of the calls of a transaction on a state with overrides. */
  function outputs(tx: GivenTx, overrides: Partial<StateOverrides> = {}): string[][] {
    const state = blockStateOf(tx, generation);
    state.override({ publicStorage: [], contracts: [], ...overrides });
    const { executed } = executeTx(new Vm(generation), state, hashed(txOf(tx)), SIMULATION);
    return executed.calls.map(({ output }) => items(output).map(short));
  }

  test("are values of storage", () => {
    expect(outputs(given)).toEqual([given.expect.calls[0].output]);
    // The contract's first variable.
    const publicStorage = [{ contract: address, slot: fr(1), value: fr(1234) }];
    expect(outputs(given, { publicStorage })).toEqual([[short(fr(1234))]]);
  });

  test("are contracts, of which the VM sees every member", () => {
    const values = { deployer: 0xd1, currentContractClassId: 0xd2, initializationHash: 0xd3, immutablesHash: 0xd4 };
    const members = Object.values(values).slice(0, generation.execution.vm.instanceMembers);
    const reads = members.flatMap((_, i) => op("GETCONTRACTINSTANCE", [1, 10 + 2 * i], { immediate: i }));
    const program = [...set(1, TAGS.FF, 0xabc), ...reads, ...returnCells(2 * members.length, 10)];
    const [contract] = given.contracts.filter((each) => field(each.address).every((byte, i) => byte === address[i]));
    const other = { address: "0xabc", classId: "0xabd" };
    const reading: GivenTx = {
      ...given,
      contracts: [{ ...contract, classId: "0xabe", bytecode: toHex(Uint8Array.from(program)) }, other],
      tx: { ...given.tx, app: given.tx.app!.slice(0, 1) },
    };
    const instance = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fr(value)]));
    const contracts = [{ address: fr(0xabc), instance: instance as never }];
    const read = (seen: readonly number[]) => [seen.flatMap((value) => ["0x1", short(fr(value))])];
    expect(outputs(reading)).toEqual(read([0, 0xabd, 0, 0].slice(0, members.length)));
    expect(outputs(reading, { contracts })).toEqual(read(members));
  });

  test("are contracts of a class that has to be known when one is called", () => {
    const instance = { deployer: fr(0), currentContractClassId: fr(0xdead), initializationHash: fr(0) };
    expect(() => outputs(given, { contracts: [{ address, instance }] })).toThrow(/^Contract class 0x0*dead of/);
  });
});
