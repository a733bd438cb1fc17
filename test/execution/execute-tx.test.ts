import { expect, test } from "vitest";
import { l2ToL1MessageHash } from "../../src/core/derive/message.ts";
import type { BlockState } from "../../src/execution/block-state.ts";
import { UnprocessableTxError } from "../../src/execution/errors.ts";
import { executeTx } from "../../src/execution/execute-tx.ts";
import type { ExecutedTx } from "../../src/execution/executed-tx.ts";
import { phaseRevertCode } from "../../src/execution/phase-revert-code.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { toHex, word } from "../../src/protocol/bytes.ts";
import type { TxGas } from "../../src/protocol/fees/gas-fees.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import { items } from "../../src/protocol/tx-effect.ts";
import {
  blockStateOf,
  field,
  type GivenTx,
  GLOBALS,
  hashed,
  short,
  type TxCase,
  txOf,
  VECTORS,
} from "../world/execution/avm-vectors.ts";

const MAX_OUTPUT_FIELDS = 5000;

const gas = ({ daGas, l2Gas }: TxGas) => ({ da: daGas, l2: l2Gas });
const shortItems = (run: Uint8Array) => items(run).map(short);

function trees({ fork }: BlockState) {
  const of = (tree: 0 | 1 | 2 | 3) => {
    const { root, size } = fork.snapshot(tree);
    return { root: toHex(root), next: size };
  };
  return { l1ToL2: of(3), noteHash: of(1), nullifier: of(0), publicData: of(2) };
}

/** The effect in the format of the vectors, except for messages: an effect contains their hashes. */
function shownEffect({ effect }: ExecutedTx) {
  return {
    transactionFee: short(effect.transactionFee),
    noteHashes: shortItems(effect.noteHashes),
    nullifiers: shortItems(effect.nullifiers),
    l2ToL1Msgs: items(effect.l2ToL1Msgs).map(toHex),
    publicLogs: effect.publicLogs.map(({ contractAddress, fields }) => ({
      contract: short(contractAddress),
      fields: shortItems(fields),
    })),
    publicDataWrites: Array.from({ length: effect.publicDataWrites.length / 64 }, (_, i) => ({
      leafSlot: short(word(effect.publicDataWrites, 2 * i)),
      value: short(word(effect.publicDataWrites, 2 * i + 1)),
    })),
  };
}

function expectedEffect({ effect }: TxCase["expect"]) {
  return {
    ...effect,
    l2ToL1Msgs: effect.l2ToL1Msgs.map(({ contract, recipient, content }) =>
      toHex(
        l2ToL1MessageHash({
          sender: field(contract),
          rollupVersion: GLOBALS.version,
          recipient: field(recipient).subarray(12),
          chainId: GLOBALS.chainId,
          content: field(content),
        }),
      ),
    ),
  };
}

test("all transactions recorded from the reference node's executor are in the vectors", () => {
  expect(VECTORS.txCases).toHaveLength(141);
});

test.each(VECTORS.txCases.map((given, i) => [i, given.name, given] as const))(
  "tx %i has the recorded outcome: %s",
  (_, __, given) => {
    const vm = new Vm(V4);
    const state = blockStateOf(given);
    const { expect: wanted } = given;
    if (wanted.unprocessable) {
      const before = trees(state);
      expect(() => executeTx(vm, state, hashed(txOf(given)))).toThrow(new UnprocessableTxError(wanted.reason ?? ""));
      expect(trees(state)).toEqual(before);
      return;
    }
    expect(trees(state)).toEqual(wanted.startTrees);
    const pending = executeTx(vm, state, hashed(txOf(given)), { maxOutputFields: MAX_OUTPUT_FIELDS });
    const { executed } = pending;
    const { totalGas, publicGas, teardownGas, billedGas } = executed.gasUsed;
    // The executor of 4.1.2 told the phases apart.
    expect(phaseRevertCode(executed)).toBe(wanted.revertCode);
    expect(executed.effect.revertCode).toBe(Math.min(wanted.revertCode, 1));
    expect({
      total: gas(totalGas),
      public: gas(publicGas),
      teardown: gas(teardownGas),
      billed: gas(billedGas),
    }).toEqual(wanted.gas);
    expect(shownEffect(executed)).toEqual(expectedEffect(wanted));
    expect(
      executed.calls.map(({ phase, contractAddress, isStatic, reverted, output }) => ({
        phase,
        address: short(contractAddress),
        isStatic,
        reverted,
        output: shortItems(output),
      })),
    ).toEqual(
      wanted.calls.map(({ phase, address, isStatic, reverted, output }) => ({
        phase,
        address,
        isStatic,
        reverted,
        output,
      })),
    );
    pending.apply();
    expect(trees(state)).toEqual(wanted.endTrees);
  },
);

/** A transaction that writes so many slots, and the fee's. */
function writing(slots: number): GivenTx {
  const writes = Array.from({ length: slots }, (_, i) => [39, 0, 10, 0, i + 1, 48, 0, 0, 10, 0, 10]).flat();
  const bytecode = Buffer.from([...writes, 39, 0, 5, 4, 0, 59, 0, 0, 5, 0, 5]).toString("hex");
  return {
    group: "writes",
    name: `${slots} slots`,
    contracts: [{ address: "0x1001", classId: `0x${(0x77000 + slots).toString(16)}`, bytecode: `0x${bytecode}` }],
    pre: { feePayerBalance: "0xffffffffffff" },
    tx: {
      app: [{ address: "0x1001" }],
      nonRevertible: { nullifiers: ["0x4242"] },
      revertible: {},
      gasLimits: { da: 200_000, l2: 6_000_000 },
      gasUsedByPrivate: { da: 96, l2: 540_000 },
      feePayer: "0xfee",
      maxFeesPerGas: { da: 10, l2: 10 },
    },
  };
}

test("a transaction of v4 writes at most 63 slots with the fee's, one of v5 at most 64", () => {
  const written = (generation: typeof V4, slots: number) => {
    const given = writing(slots);
    const tx = hashed(txOf(given, generation));
    const { executed } = executeTx(new Vm(generation), blockStateOf(given, generation), tx);
    return executed.effect.publicDataWrites.length / 64;
  };
  const refusal = "Too many side effects. Note hashes: 0, Nullifiers: 1, L2 to L1 messages: 0, Storage writes: 64";
  expect(written(V4, 62)).toBe(63);
  expect(() => written(V4, 63)).toThrow(new UnprocessableTxError(refusal));
  expect(written(V5, 63)).toBe(64);
  // SSTORE halts at the 64th slot, so that only the fee's is left.
  expect([V4, V5].map((generation) => written(generation, 64))).toEqual([1, 1]);
});
