import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import type { Digests } from "../../../src/mempool/digest/tx-digest.ts";
import { TxValidator } from "../../../src/mempool/validation/tx-validator.ts";
import type { GasFees } from "../../../src/protocol/fees/gas-fees.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { REASON } from "../../../src/protocol/tx/refusal-reasons.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { contextFor } from "../../world/mempool/context.ts";
import { digestTx } from "../../world/mempool/v4-digests.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const core = loadCore();
const recorded = recordedTxs().map(({ tx }) => tx);
const [first] = recorded;
const FREE = { feePerDaGas: 0n, feePerL2Gas: 0n };
const DEAR = { feePerDaGas: 0n, feePerL2Gas: 10n ** 30n };
const ENFORCED = { isSimulation: false, skipFeeEnforcement: false };

function validator({ minFees = FREE, proofHolds = true, wholes = true } = {}) {
  const digests: Digests = {
    whole: async (tx) => {
      if (!wholes) throw new Error("a whole digest was asked for");
      return digestTx(core, tx);
    },
    hash: () => Promise.reject(new Error("a hash was asked for")),
    content: async (tx) => {
      const { hash: _, ...content } = digestTx(core, tx);
      return content;
    },
  };
  return new TxValidator({
    digests,
    contexts: {
      rules: V4,
      currentMinFees: async () => minFees,
      latestBlockFees: () => FREE,
      next: (gasFees: GasFees) => contextFor(first, { gasFees }),
    },
    proofs: { verify: async () => proofHolds, close: async () => undefined },
  });
}

/** Some recorded txs of both forms, without and with a fault. */
function* candidates(): Generator<Tx> {
  for (const tx of [0, 1].flatMap((form) => recorded.filter(({ data }) => data[0] === form).slice(0, 2))) {
    yield tx;
    yield {
      ...tx,
      publicFunctionCalldata: [...tx.publicFunctionCalldata, { values: new Uint8Array(32), hash: new Uint8Array(32) }],
    };
    yield { ...tx, contractClassLogFields: [] };
  }
}

test("an isValidTx request has the verdict of sending the tx, except for the tx's hash", async () => {
  const [asking, taking] = [validator({ wholes: false }), validator()];
  const results = new Set<string>();
  for (const tx of candidates()) {
    const verdict = await asking.ofQuestion(tx, ENFORCED);
    expect(verdict).toEqual((await taking.fromClient(tx, ENFORCED)).verdict);
    results.add(verdict.result);
  }
  expect([...results].sort()).toEqual(["invalid", "valid"]);
});

test("fees and proofs are checked unless the request leaves them out", async () => {
  const ask = (options: Partial<typeof ENFORCED>, of: Parameters<typeof validator>[0]) =>
    validator(of).ofQuestion(first, { ...ENFORCED, ...options });
  const [dear, unproven] = [{ minFees: DEAR }, { proofHolds: false }];
  expect(await ask({}, dear)).toMatchObject({ result: "skipped", reason: [REASON.feePerGas] });
  expect(await ask({ skipFeeEnforcement: true }, dear)).toEqual({ result: "valid" });
  expect(await ask({}, unproven)).toEqual({ result: "invalid", reason: [REASON.proof] });
  expect(await ask({ isSimulation: true }, unproven)).toEqual({ result: "valid" });
});

test("the hash that a client sends with a tx must be the tx's own", async () => {
  const { hash } = digestTx(core, first);
  expect((await validator().received(first, hash)).verdict).toEqual({ result: "valid" });
  expect((await validator().received(first, new Uint8Array(32))).verdict).toEqual({
    result: "invalid",
    reason: [REASON.hash],
  });
});
