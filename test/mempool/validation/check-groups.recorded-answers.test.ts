import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { runChecks } from "../../../src/mempool/validation/check-groups.ts";
import { equal, toHex } from "../../../src/protocol/bytes.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { contextFor, freeState } from "../../world/mempool/context.ts";
import { digestTx, RPC_CHECKS, txFacts } from "../../world/mempool/v4-digests.ts";
import { recordedAnswers, txOf } from "./answers.ts";

const core = loadCore();
const cases = recordedAnswers().flatMap((answer) => {
  const tx = txOf(answer);
  return tx === undefined ? [] : [{ ...answer, tx }];
});
const valid = cases.find(({ response }) => response.result !== undefined && isValid(response.result));
if (valid === undefined) throw new Error("no valid tx was recorded");
const { anchorHash } = digestTx(core, valid.tx);

function isValid(result: unknown): boolean {
  return JSON.stringify(result) === '{"result":"valid"}';
}

const accounts = new Set(
  cases
    .filter(({ method }) => method === "node_sendTx")
    .map(({ tx }) => toHex(txFacts(tx, digestTx(core, tx)).feePayer)),
);

/**
 * The recorded network as far as its answers show: blocks were built upon one block, senders had fee juice, mana cost
 * 1435100000.
 */
const context = contextFor(valid.tx, {
  state: freeState({
    hasBlock: (hash) => equal(hash, anchorHash),
    feeJuice: (payer) => (accounts.has(toHex(payer)) ? 10n ** 22n : 0n),
  }),
  gasFees: { feePerDaGas: 0n, feePerL2Gas: 1_435_100_000n },
  target: { timestamp: 1_795_231_705n, blockNumber: 13 },
});

function verdictOf(tx: Tx) {
  return runChecks(RPC_CHECKS, txFacts(tx, digestTx(core, tx)), context);
}

test.each(cases.filter(({ method }) => method === "node_isValidTx").map((one, i) => [i, one] as const))(
  "isValidTx request %i has the recorded answer",
  (_, { tx, response }) => {
    const verdict = verdictOf(tx);
    expect(JSON.stringify(verdict)).toBe(JSON.stringify(response.result));
  },
);

test("the verdicts on sent transactions are those of the recorded network", () => {
  const sent = cases.filter(({ method }) => method === "node_sendTx");
  expect(sent.length).toBeGreaterThan(4);
  for (const { tx, response } of sent) {
    const verdict = verdictOf(tx);
    const reasons = verdict.result === "valid" ? undefined : `Invalid tx: ${verdict.reason.join(", ")}`;
    expect(reasons).toBe(response.error?.data === undefined ? response.error?.message : undefined);
  }
});
