import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { feePayerBalanceSlot } from "../../../src/core/derive/public-storage.ts";
import { UnprocessableTxError } from "../../../src/execution/errors.ts";
import { executeTx } from "../../../src/execution/execute-tx.ts";
import type { GasUsed } from "../../../src/execution/executed-tx.ts";
import { phaseRevertCode } from "../../../src/execution/phase-revert-code.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { toHex, word } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { items, type TxEffect } from "../../../src/protocol/tx-effect.ts";
import { blockStateOf, core, hashed, txOf } from "../../world/execution/avm-vectors.ts";
import { generatedTx } from "../../world/execution/generated-txs.ts";

/** The result of the reference node's executor for a generated transaction. */
interface Outcome {
  seed: number;
  /** SHA-256 of the tx's data. */
  input: string;
  error?: string;
  /** With 2 and 3 for a teardown that reverted, as in 4.1.2. */
  revertCode: number;
  gas: GasUsed;
  /** Note hashes, nullifiers, public logs, writes. */
  counts: number[];
  /** SHA-256 of the JSON of shown(). */
  effect: string;
  /** Message, note hash, nullifier and public data tree: root, size. */
  trees: [string, number][];
}

const file = new URL("../../fixtures/vectors/generated-txs.json.gz", import.meta.url);
const OUTCOMES = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as Outcome[];
const PAYERS_SLOT = feePayerBalanceSlot(core, fr(0xfee));

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

function shown({ transactionFee, noteHashes, nullifiers, publicLogs, publicDataWrites }: TxEffect) {
  return {
    fee: toHex(transactionFee),
    noteHashes: items(noteHashes).map(toHex),
    nullifiers: items(nullifiers).map(toHex),
    logs: publicLogs.map(({ contractAddress, fields }) => [contractAddress, ...items(fields)].map(toHex)),
    writes: Array.from({ length: publicDataWrites.length / 64 }, (_, i) => [
      toHex(word(publicDataWrites, 2 * i)),
      toHex(word(publicDataWrites, 2 * i + 1)),
    ]),
  };
}

test("randomly generated transactions have the results of the reference node's executor", () => {
  expect(OUTCOMES).toHaveLength(300);
  const seen = { processed: 0, unprocessable: 0 };
  for (const { seed, input, error, ...wanted } of OUTCOMES) {
    const given = generatedTx(seed, PAYERS_SLOT);
    const tx = txOf(given);
    expect(sha256(tx.data), `seed ${seed} makes another tx than the recorded one`).toBe(input);
    const state = blockStateOf(given);
    if (error !== undefined) {
      expect(() => executeTx(new Vm(V4), state, hashed(tx)), `seed ${seed}`).toThrow(new UnprocessableTxError(error));
      seen.unprocessable++;
      continue;
    }
    const pending = executeTx(new Vm(V4), state, hashed(tx));
    pending.apply();
    const { effect, gasUsed } = pending.executed;
    const parts = shown(effect);
    expect(
      {
        revertCode: phaseRevertCode(pending.executed),
        gas: gasUsed,
        counts: [parts.noteHashes, parts.nullifiers, parts.logs, parts.writes].map(({ length }) => length),
        effect: sha256(JSON.stringify(parts)),
        trees: ([3, 1, 0, 2] as const).map((tree) => [
          toHex(state.fork.snapshot(tree).root),
          state.fork.snapshot(tree).size,
        ]),
      },
      `seed ${seed}`,
    ).toEqual(wanted);
    expect(effect.revertCode, `seed ${seed}`).toBe(Math.min(wanted.revertCode, 1));
    seen.processed++;
  }
  expect(seen).toEqual({ processed: 179, unprocessable: 121 });
});
