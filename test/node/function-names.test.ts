import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { executeTx } from "../../src/execution/execute-tx.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { logReverts } from "../../src/node/revert-log.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { fundedState } from "../execution/funded-state.ts";
import { txJson } from "../mempool/support/fresh-txs.ts";
import { REVERTS, txOfOwnClass } from "../mempool/support/own-class.ts";
import { SimulatingPort } from "./simulating-port.ts";

/** Selector of transfer_in_public, called on a contract that always reverts. */
const SELECTOR = "0x8c9e5472";
const TX = txOfOwnClass(REVERTS, { calldata: fr(BigInt(SELECTOR)), l2Gas: 6_000_000 });
const CONTRACT = toHex(fr(0x10_0001));

let port: SimulatingPort;
beforeAll(async () => {
  port = await SimulatingPort.open();
});
afterAll(() => port.close());

test("a revert reason shows the function's name only once its signature is registered", async () => {
  const { json } = txJson(loadCore(), TX);
  const frame = { contractAddress: CONTRACT, functionSelector: SELECTOR };
  for (const namespace of ["node", "svc"]) {
    expect(await port.call(`${namespace}_simulatePublicCalls`, [json, true])).toMatchObject({
      revertReason: { originalMessage: "Assertion failed: ", functionErrorStack: [frame] },
      txEffect: { revertCode: 1 },
    });
  }
  expect(await port.call("svc_simulatePublicCalls", [json, true])).toHaveProperty("revertReason.functionErrorStack", [
    frame,
  ]);
  await port.call("svc_registerContractFunctionSignatures", [["transfer_in_public((Field),(Field),u128,Field)"]]);
  for (const namespace of ["node", "svc"]) {
    const named = [{ ...frame, functionName: "transfer_in_public" }];
    expect(await port.call(`${namespace}_simulatePublicCalls`, [json, true])).toHaveProperty(
      "revertReason.functionErrorStack",
      named,
    );
  }
});

test("the log of a reverted tx shows names of known functions and selectors of others", () => {
  const run = (recordCalls: boolean) =>
    executeTx(new Vm(), fundedState(), { tx: TX, hash: fr(1) }, { skippedFees: "all", recordCalls }).executed;
  const lines: unknown[] = [];
  const logger = { info: (facts: object, message: string) => void lines.push({ ...facts, message }) };
  const line = { tx: toHex(fr(1)), message: "a tx of the block reverted", reason: "Assertion failed: " };
  logReverts([run(true)], { nameOf: () => undefined }, logger);
  logReverts([run(true)], { nameOf: (selector) => (toHex(selector) === SELECTOR ? "transfer_in_public" : "") }, logger);
  expect(lines).toEqual([
    { ...line, calls: [`${CONTRACT}.${SELECTOR}`] },
    { ...line, calls: [`${CONTRACT}.transfer_in_public`] },
  ]);
});
