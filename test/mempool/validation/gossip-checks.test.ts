import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import type { CheckContext } from "../../../src/mempool/validation/checks/context.ts";
import {
  type GossipOptions,
  runCheapGossipChecks,
  runDigestGossipChecks,
} from "../../../src/mempool/validation/gossip-checks.ts";
import { REASON } from "../../../src/protocol/tx/refusal-reasons.ts";
import { contextFor, freeState } from "../../world/mempool/context.ts";
import { digestTx, txFacts } from "../../world/mempool/v4-digests.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const core = loadCore();
const [{ tx }] = recordedTxs();
const digest = digestTx(core, tx);
const facts = txFacts(tx, digest, digest.hash);
const noHistory: GossipOptions = { stateAt: () => undefined };
/** The checks before hashing, and those after it if the tx passed. */
const run = (context: Partial<CheckContext> = {}, options = noHistory, of = facts) => {
  const cheap = runCheapGossipChecks(of, contextFor(tx, context), options);
  return cheap.verdict.result === "valid" ? runDigestGossipChecks(of, contextFor(tx, context)) : cheap;
};

test("a valid tx is no fault of its peer", () => {
  expect(run()).toEqual({ verdict: { result: "valid" }, tolerance: undefined });
});

test("a tx with a fee that is too low is skipped, and is no fault of its peer", () => {
  const gasFees = { feePerDaGas: 0n, feePerL2Gas: 10n ** 30n };
  expect(run({ gasFees })).toEqual({
    verdict: { result: "skipped", reason: [REASON.feePerGas] },
    tolerance: undefined,
  });
});

test("the least tolerated of several faults of a tx counts", () => {
  const target = { timestamp: 2n ** 63n, blockNumber: 13 };
  expect(run({ target }).tolerance).toBe("high");
  expect(run({ target, permitted: false })).toEqual({
    verdict: { result: "invalid", reason: [REASON.expired, REASON.notPermitted] },
    tolerance: "mid",
  });
  expect(run({ state: freeState({ hasBlock: () => false }) }).tolerance).toBe("high");
});

test("a tx with a hash that is not its own is a fault of its peer", () => {
  const wrong = txFacts(tx, digest, new Uint8Array(32));
  expect(run({}, noHistory, wrong)).toMatchObject({ verdict: { reason: [REASON.hash] }, tolerance: "mid" });
});

test("a nullifier that was spent long ago is tolerated less than one of the last blocks", () => {
  const spent = freeState({ hasNullifier: () => true });
  const at = (blockNumber: number) => ({ state: spent, target: { timestamp: 1n, blockNumber } });
  const asked: number[] = [];
  const history = (known: boolean): GossipOptions => ({
    stateAt: (block) => {
      asked.push(block);
      return { hasNullifier: () => known };
    },
  });
  expect(run(at(30), history(true)).tolerance).toBe("high");
  expect(run(at(31), history(true)).tolerance).toBe("low");
  expect(run(at(100), history(false)).tolerance).toBe("high");
  expect(run(at(100), noHistory).tolerance).toBe("high");
  expect(asked).toEqual([1, 70]);
});
