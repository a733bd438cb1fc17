import { describe, expect, test } from "vitest";
import type { HashInput } from "../../../src/core/core.ts";
import { calldataHash } from "../../../src/core/derive/call-hashes.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { RECEIVED_CHECKS, runChecks } from "../../../src/mempool/validation/check-groups.ts";
import type { CheckContext } from "../../../src/mempool/validation/checks/context.ts";
import { bigUintBytes, concat, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { FR_MODULUS, fr } from "../../../src/protocol/field.ts";
import type { AllowedSetupCall } from "../../../src/protocol/generations/transactions.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { REASON } from "../../../src/protocol/tx/refusal-reasons.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { joined, VALID } from "../../../src/protocol/tx/verdict.ts";
import { contextFor, freeState } from "../../world/mempool/context.ts";
import { digestTx, RPC_CHECKS, txFacts } from "../../world/mempool/v4-digests.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const GAS_LIMIT_HIGH = `${REASON.gasLimitHigh} ${V4.transactions.refusals.maxGas}`;

const core = loadCore();
const recorded = recordedTxs().map(({ tx }) => tx);
const find = (matches: (tx: Tx) => boolean): Tx => {
  const found = recorded.find(matches);
  if (found === undefined) throw new Error("the recording has no such transaction");
  return found;
};
const privateTx = find((tx) => tx.data[0] === 0);
const publicTx = find((tx) => tx.data[0] === 1 && tx.publicFunctionCalldata.length > 0);
const classTx = find((tx) => tx.contractClassLogFields.length > 0);

const SETUP_CALLS_AT = TX_DATA_AT.accumulated + 37_860;
const REVERTIBLE_AT = SETUP_CALLS_AT + 3_104;
const NULLIFIERS_AT = TX_DATA_AT.accumulated + 2_048;
const PRIVATE_LOGS_AT = TX_DATA_AT.accumulated + 4_768;

function changed(tx: Tx, change: (data: Uint8Array, tx: Tx) => void): Tx {
  const copy = {
    ...tx,
    data: new Uint8Array(tx.data),
    contractClassLogFields: tx.contractClassLogFields.map((fields) => new Uint8Array(fields)),
    publicFunctionCalldata: [...tx.publicFunctionCalldata],
  };
  change(copy.data, copy);
  return copy;
}

function flip(bytes: Uint8Array, at: number): void {
  bytes[at] ^= 1;
}

function reasons(tx: Tx, context: Partial<CheckContext> = {}, claimed?: Uint8Array): string[] {
  const facts = txFacts(tx, digestTx(core, tx), claimed);
  const verdict = runChecks(
    RPC_CHECKS,
    facts,
    contextFor(privateTx, { target: { timestamp: 1n, blockNumber: 13 }, ...context }),
  );
  return verdict.result === "valid" ? [] : [...(verdict.result === "skipped" ? ["skipped"] : []), ...verdict.reason];
}

test("every recorded transaction is valid in a state that knows its block and payer", () => {
  for (const tx of recorded) {
    const context = contextFor(tx);
    expect(runChecks(RPC_CHECKS, txFacts(tx, digestTx(core, tx)), context)).toEqual(VALID);
  }
});

test("the reasons of all checks are in the network's order", () => {
  const tx = changed(privateTx, (data) => {
    data.fill(0, TX_DATA_AT.expirationTimestamp, TX_DATA_AT.expirationTimestamp + 8);
    data.fill(0, TX_DATA_AT.chainId, TX_DATA_AT.chainId + 32);
  });
  const gasFees = { feePerDaGas: 0n, feePerL2Gas: 10n ** 30n };
  expect(reasons(tx, { gasFees })).toEqual([REASON.expired, REASON.chainId, REASON.feePerGas]);
  expect(reasons(privateTx, { gasFees })).toEqual(["skipped", REASON.feePerGas]);
});

test("a group of checks is invalid if one check is, and otherwise skipped if one skips", () => {
  const skipped = { result: "skipped" as const, reason: ["a"] };
  expect(joined([VALID, skipped])).toEqual(skipped);
  expect(joined([skipped, { result: "invalid", reason: ["b"] }])).toEqual({ result: "invalid", reason: ["a", "b"] });
  expect(joined([])).toEqual(VALID);
});

describe("context", () => {
  test("a node that takes no transactions gives that as the reason", () => {
    expect(reasons(privateTx, { permitted: false })).toEqual([REASON.notPermitted]);
  });

  test("a tx may expire at the target timestamp but not before it, unless the target is block 1", () => {
    const { target } = contextFor(privateTx);
    const at = (delta: bigint, blockNumber = 13) => ({ timestamp: target.timestamp + 1n + delta, blockNumber });
    expect(reasons(privateTx, { target: at(0n) })).toEqual([]);
    expect(reasons(privateTx, { target: at(1n) })).toEqual([REASON.expired]);
    expect(reasons(privateTx, { target: at(1n, 1) })).toEqual([]);
  });

  test("a tx with an unknown anchor block, or with a spent or duplicate nullifier, is invalid", () => {
    expect(reasons(privateTx, { state: freeState({ hasBlock: () => false }) })).toEqual([REASON.anchorBlock]);
    expect(reasons(privateTx, { state: freeState({ hasNullifier: () => true }) })).toEqual([REASON.existingNullifier]);
    const twice = changed(privateTx, (data) => data.copyWithin(NULLIFIERS_AT + 32, NULLIFIERS_AT, NULLIFIERS_AT + 32));
    expect(reasons(twice)).toEqual([REASON.duplicateNullifier]);
  });

  test("a revertible nullifier that equals a non-revertible one makes a tx invalid", () => {
    const twice = changed(publicTx, (data) =>
      data.copyWithin(REVERTIBLE_AT + 2_048, NULLIFIERS_AT, NULLIFIERS_AT + 32),
    );
    expect(reasons(twice)).toContain(REASON.duplicateNullifier);
  });

  test("a tx of another network is invalid, with a reason for each part that differs", () => {
    const parts = [
      [TX_DATA_AT.chainId, REASON.chainId],
      [TX_DATA_AT.version, REASON.rollupVersion],
      [TX_DATA_AT.vkTreeRoot, REASON.vkTreeRoot],
      [TX_DATA_AT.protocolContractsHash, REASON.protocolContracts],
    ] as const;
    for (const [at, reason] of parts) {
      expect(reasons(changed(privateTx, (data) => flip(data, at + 31)))).toEqual([reason]);
    }
    expect(
      reasons(
        changed(privateTx, (data) => {
          for (const [at] of parts) flip(data, at + 31);
        }),
      ),
    ).toEqual(parts.map(([, reason]) => reason));
  });
});

describe("gas", () => {
  const limits = (daGas: number, l2Gas: number) => (tx: Tx) =>
    changed(tx, (data) => {
      writeU32(data, TX_DATA_AT.gasLimits, daGas);
      writeU32(data, TX_DATA_AT.gasLimits + 4, l2Gas);
    });

  test.each([
    ["private, least", limits(96, 440_000)(privateTx), []],
    ["private, too little DA", limits(95, 440_000)(privateTx), [REASON.gasLimitLow]],
    ["private, too little L2", limits(96, 439_999)(privateTx), [REASON.gasLimitLow]],
    ["public, least", limits(96, 540_000)(publicTx), []],
    ["public, too little L2", limits(96, 539_999)(publicTx), [REASON.gasLimitLow]],
    ["most", limits(786_432, 6_540_000)(privateTx), []],
    ["too much DA", limits(786_433, 6_540_000)(privateTx), [GAS_LIMIT_HIGH]],
    ["too much L2", limits(786_432, 6_540_001)(privateTx), [GAS_LIMIT_HIGH]],
  ])("gas limits are checked: %s", (_, tx, expected) => expect(reasons(tx)).toEqual(expected));

  test("a validator's own lower gas limits apply", () => {
    expect(reasons(privateTx, { gasLimits: { daGas: 786_432, l2Gas: 500_000 } })).toEqual([GAS_LIMIT_HIGH]);
  });

  test("a DA fee that is too low skips a tx", () => {
    const gasFees = { feePerDaGas: 1n, feePerL2Gas: 0n };
    const poor = changed(privateTx, (data) => data.fill(0, TX_DATA_AT.maxFeesPerGas, TX_DATA_AT.maxFeesPerGas + 16));
    expect(reasons(poor, { gasFees })).toEqual(["skipped", REASON.feePerGas]);
  });

  test("a payer's balance has to reach the fee limit", () => {
    const { feeLimit } = txFacts(privateTx, digestTx(core, privateTx));
    expect(feeLimit).toBeGreaterThan(0n);
    expect(reasons(privateTx, { state: freeState({ feeJuice: () => feeLimit }) })).toEqual([]);
    expect(reasons(privateTx, { state: freeState({ feeJuice: () => feeLimit - 1n }) })).toEqual([REASON.balance]);
  });

  test("the fee limit of maximal fees does not overflow", () => {
    const greedy = changed(privateTx, (data) =>
      data.fill(255, TX_DATA_AT.maxFeesPerGas, TX_DATA_AT.maxFeesPerGas + 64),
    );
    expect(reasons(greedy)).toEqual([REASON.balance]);
    const facts = txFacts(greedy, digestTx(core, greedy));
    expect(facts.priorityFee).toBe(2n ** 128n - 1n);
  });
});

describe("commitments of a tx's data", () => {
  const [call] = publicTx.publicFunctionCalldata;

  test("a tx is invalid if the client named another hash", () => {
    expect(reasons(privateTx, {}, new Uint8Array(32))).toEqual([REASON.hash]);
    const facts = txFacts(privateTx, digestTx(core, privateTx), new Uint8Array(32));
    expect(runChecks(RECEIVED_CHECKS, facts, contextFor(privateTx))).toMatchObject({ reason: [REASON.hash] });
  });

  test("calldata that does not match its hash makes a tx invalid", () => {
    const withCalldata = (publicFunctionCalldata: Tx["publicFunctionCalldata"]) => ({
      ...publicTx,
      publicFunctionCalldata,
    });
    expect(reasons(withCalldata([]))).toContain(REASON.calldataCount);
    expect(reasons(withCalldata([...publicTx.publicFunctionCalldata, call]))).toContain(REASON.calldataCount);
    const large = publicTx.publicFunctionCalldata.map((one, i) =>
      i === 0 ? { ...one, values: new Uint8Array(16_001 * 32) } : one,
    );
    expect(reasons(withCalldata(large))).toContain(REASON.calldataSize);
    const other = publicTx.publicFunctionCalldata.map((one) => ({ ...one, values: concat(one.values, fr(1)) }));
    expect(reasons(withCalldata(other))).toContain(REASON.calldata);
    const unclaimed = publicTx.publicFunctionCalldata.map((one) => ({ ...one, hash: fr(7) }));
    expect(reasons(withCalldata(unclaimed))).toContain(REASON.calldata);
  });

  test("one large calldata that every call names is hashed once", () => {
    const values = new Uint8Array(15_900 * 32);
    const hash = calldataHash(core, values);
    const tx = changed(publicTx, (data, copy) => {
      data.fill(0, SETUP_CALLS_AT, SETUP_CALLS_AT + 3_104);
      data.fill(0, REVERTIBLE_AT + 37_860, data.length);
      for (let i = 0; i < 32; i++) data.set(hash, REVERTIBLE_AT + 37_860 + i * 97 + 65);
      const none = { values: new Uint8Array(), hash: fr(7) };
      copy.publicFunctionCalldata = [{ values, hash }, ...Array.from({ length: 31 }, () => none)];
    });
    let hashed = 0;
    const counting = {
      ...core,
      hash: (fields: Uint8Array) => core.hash(fields),
      hashWithSeparator: (separator: number | bigint, fields: Uint8Array) => core.hashWithSeparator(separator, fields),
      hashEach: (inputs: readonly HashInput[]) => {
        hashed += inputs.reduce((sum, { fields }) => sum + fields.length / 32, 0);
        return core.hashEach(inputs);
      },
    } as typeof core;
    expect(digestTx(counting, tx).dataFault).toBeUndefined();
    expect(hashed).toBeLessThan(16_000 + 4_000);
  });

  test("contract class logs that do not match their hashes make a tx invalid", () => {
    expect(reasons({ ...classTx, contractClassLogFields: [] })).toEqual([REASON.unexpected, REASON.classLogCount]);
    const [fields] = classTx.contractClassLogFields;
    expect(reasons({ ...classTx, contractClassLogFields: [fields, fields] })).toEqual([REASON.classLogCount]);
    const other = changed(classTx, (_, { contractClassLogFields }) => flip(contractClassLogFields[0], 31));
    expect(reasons(other)).toEqual([REASON.classLogs]);
  });

  test("a length of a class log that leaves out used fields makes a tx invalid", () => {
    const lengthAt = TX_DATA_AT.accumulated + 37_792 + 32;
    const short = changed(classTx, (data) => writeU32(data, lengthAt + (data[0] === 1 ? 40_964 : 0), 10));
    const shorter = changed(classTx, (data) => writeU32(data, lengthAt, 10));
    const found = [reasons(short), reasons(shorter)].flat();
    expect(found).toContain(REASON.classLogLength);
  });

  test.each([
    ["another class id", 1, REASON.classId, []],
    ["another artifact hash", 3, REASON.classId, []],
    ["another version", 2, REASON.classLog, [REASON.unexpected]],
    ["a bytecode that does not fit", 5, REASON.classLog, [REASON.unexpected]],
  ] as const)("a published class with %s makes a tx invalid", (_, field, reason, before) => {
    const [fields] = classTx.contractClassLogFields;
    const forged = Uint8Array.from(fields);
    // The highest byte that keeps the word a field, and a length too large.
    forged[field * 32 + 1] ^= 1;
    const tx = changed(classTx, (data, copy) => {
      const at = Buffer.from(data).indexOf(core.hash(fields));
      expect(at).toBeGreaterThan(0);
      data.set(core.hash(forged), at);
      copy.contractClassLogFields = [forged];
    });
    expect(reasons(tx)).toEqual([...before, reason]);
  });

  test("a class log that is longer than its fields makes a tx invalid", () => {
    const tooLong = changed(privateTx, (data) => writeU32(data, PRIVATE_LOGS_AT + 512, 17));
    expect(reasons(tooLong)).toEqual([REASON.unexpected, REASON.unexpected]);
  });
});

describe("instances that are published", () => {
  const TAG = Buffer.from("1a7e1badb79abdd38c684b3c8306ffe7ecb33c69e3380d9855730aaaa83a21a8", "hex");
  const instanceAt = (data: Uint8Array): number | undefined => {
    const at = Buffer.from(data).indexOf(TAG);
    return at < 0 ? undefined : at;
  };
  const deployTx = find((tx) => instanceAt(tx.data) !== undefined);
  const at = instanceAt(deployTx.data) ?? 0;

  test.each([
    ["another address", 32, REASON.instanceAddress, []],
    ["another version", 64, REASON.instanceLog, [REASON.unexpected]],
    ["another salt", 96, REASON.instanceAddress, []],
    ["a key that is not on the curve", 256 + 31, REASON.instanceLog, []],
  ] as const)("a published instance with %s makes a tx invalid", (_, offset, reason, before) => {
    const last = offset % 32 === 31 ? offset : offset + 31;
    const tx = changed(deployTx, (data) => flip(data, at + last));
    expect(reasons(tx)).toEqual([...before, reason]);
  });
});

describe("calls during setup", () => {
  const selector = Uint8Array.of(1, 2, 3, 4);
  const target = fr(99);
  const classId = fr(55);
  const nobody = bigUintBytes(FR_MODULUS - 1n, 32);

  /** A tx with one setup call more. */
  function calling(options: { to?: Uint8Array; from?: Uint8Array; calldata?: Uint8Array } = {}): Tx {
    const { to = target, from = fr(3), calldata = concat(new Uint8Array(28), selector, fr(1), fr(2)) } = options;
    return changed(publicTx, (data, copy) => {
      const hash = calldataHash(core, calldata);
      data.fill(0, SETUP_CALLS_AT, SETUP_CALLS_AT + 3_104);
      data.set(concat(from, to, Uint8Array.of(0), hash), SETUP_CALLS_AT);
      copy.publicFunctionCalldata = [{ values: calldata, hash }, ...copy.publicFunctionCalldata];
    });
  }
  const phases = (tx: Tx, list: AllowedSetupCall[], known?: Uint8Array) =>
    reasons(tx, {
      setupAllowList: list,
      contractInstance: () => (known === undefined ? undefined : { currentContractClassId: known }),
    }).filter((reason) => reason !== REASON.calldataCount);

  test.each<[string, AllowedSetupCall[], Parameters<typeof calling>[0], Uint8Array | undefined, string | undefined]>([
    ["nothing allowed", [], {}, undefined, REASON.setupNotAllowed],
    ["address", [{ address: target, selector }], {}, undefined, undefined],
    ["another address", [{ address: fr(98), selector }], {}, undefined, REASON.setupNotAllowed],
    [
      "another selector",
      [{ address: target, selector: Uint8Array.of(1, 2, 3, 5) }],
      {},
      undefined,
      REASON.setupNotAllowed,
    ],
    ["length", [{ address: target, selector, calldataLength: 3 }], {}, undefined, undefined],
    ["another length", [{ address: target, selector, calldataLength: 4 }], {}, undefined, REASON.setupCalldataLength],
    ["only itself", [{ address: target, selector, onlySelf: true }], { from: target }, undefined, undefined],
    ["somebody else", [{ address: target, selector, onlySelf: true }], {}, undefined, REASON.setupNotSelf],
    [
      "no sender",
      [{ address: target, selector, rejectNullMsgSender: true }],
      { from: nobody },
      undefined,
      REASON.setupNullSender,
    ],
    ["a sender", [{ address: target, selector, rejectNullMsgSender: true }], {}, undefined, undefined],
    [
      "the first entry decides",
      [
        { address: target, selector, calldataLength: 9 },
        { address: target, selector },
      ],
      {},
      undefined,
      REASON.setupCalldataLength,
    ],
    ["class", [{ classId, selector }], {}, classId, undefined],
    ["another class", [{ classId, selector }], {}, fr(56), REASON.setupNotAllowed],
    ["class of nobody", [{ classId, selector }], {}, undefined, REASON.setupUnknownContract],
    [
      "address before class",
      [
        { classId, selector, calldataLength: 9 },
        { address: target, selector },
      ],
      {},
      classId,
      undefined,
    ],
    ["class flags", [{ classId, selector, onlySelf: true }], {}, classId, REASON.setupNotSelf],
    ["no calldata", [{ address: target, selector }], { calldata: new Uint8Array() }, undefined, REASON.unexpected],
    [
      "a selector of more than 4 bytes",
      [{ address: target, selector }],
      { calldata: concat(fr(1n << 40n)) },
      undefined,
      REASON.unexpected,
    ],
  ])("a setup call is checked against the allow list: %s", (_, list, options, known, expected) => {
    expect(phases(calling(options), list, known)).toEqual(expected === undefined ? [] : [expected]);
  });

  test("a claim in favour of the payer counts as balance", () => {
    const feePayer = publicTx.data.slice(TX_DATA_AT.feePayer, TX_DATA_AT.feePayer + 32);
    const increase = Uint8Array.of(0xe7, 0xf0, 0x45, 0xff);
    const claim = (to: Uint8Array, from: Uint8Array, payer: Uint8Array) =>
      calling({ to, from, calldata: concat(new Uint8Array(28), increase, payer, fr(12_345)) });
    const amount = (tx: Tx) => txFacts(tx, digestTx(core, tx)).claim;
    expect(amount(claim(fr(5), fr(5), feePayer))).toBe(12_345n);
    expect(amount(claim(fr(5), fr(6), feePayer))).toBe(0n);
    expect(amount(claim(fr(6), fr(5), feePayer))).toBe(0n);
    expect(amount(claim(fr(5), fr(5), fr(1)))).toBe(0n);
    expect(toHex(feePayer)).not.toBe(toHex(fr(0)));
  });
});
