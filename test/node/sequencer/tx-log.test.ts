import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { executeTx } from "../../../src/execution/execute-tx.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { withContractNames } from "../../../src/local-network/contract-names.ts";
import { logTxs } from "../../../src/node/sequencer/tx-log.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { recordedTxs } from "../../../src/recorded-txs/recorded-txs.ts";
import { fundedState } from "../../world/execution/funded-state.ts";
import { txJson } from "../../world/mempool/fresh-txs.ts";
import { REVERTS, txOfOwnClass } from "../../world/mempool/own-class.ts";
import { SimulatingPort } from "../../world/node/simulating-port.ts";

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

test("the log of a tx shows its calls, and why it reverted, with names of known functions", () => {
  const run = (recordCalls: boolean) =>
    executeTx(new Vm(V4), fundedState(), { tx: TX, hash: fr(1) }, { skippedFees: "all", recordCalls }).executed;
  const linesWith = (nameOf: (selector: Uint8Array) => string | undefined) => {
    const lines: (object & { message: string })[] = [];
    const logger = { info: (facts: object, message: string) => void lines.push({ ...facts, message }) };
    logTxs([run(true)], { nameOf }, logger);
    return lines;
  };
  const named = linesWith((selector) => (toHex(selector) === SELECTOR ? "transfer_in_public" : undefined));
  expect(named[0]).toMatchObject({
    tx: toHex(fr(1)),
    calls: 1,
    message: expect.stringMatching(/^tx \{tx\}: \{calls:/),
  });
  const short = `${CONTRACT.slice(0, 10)}..${CONTRACT.slice(-8)}`;
  expect(named[1]).toMatchObject({
    phase: "app",
    call: `${short}.transfer_in_public()`,
    outcome: expect.stringMatching(/^reverted/),
  });
  const revert = { tx: toHex(fr(1)), message: "a tx of the block reverted", reason: "Assertion failed: " };
  expect(named.at(-1)).toEqual({ ...revert, calls: [`${CONTRACT}.transfer_in_public`] });
  const unnamed = linesWith(() => undefined);
  expect(unnamed[1]).toMatchObject({ call: `${short}.${SELECTOR}()` });
  expect(unnamed.at(-1)).toEqual({ ...revert, calls: [`${CONTRACT}.${SELECTOR}`] });
});

test("the log of a tx shows events with the names of registered signatures, and at most 200 lines", () => {
  const { executed } = executeTx(
    new Vm(V4),
    fundedState(),
    { tx: TX, hash: fr(1) },
    { skippedFees: "all", recordCalls: true },
  );
  const event = { contractAddress: fr(0x77), fields: concat(fr(42), fr(1n << 100n), fr(BigInt(SELECTOR))) };
  const lines: (object & { message: string })[] = [];
  const logger = { info: (facts: object, message: string) => void lines.push({ ...facts, message }) };
  const publicLogs = Array.from({ length: 300 }, () => event);
  logTxs([{ ...executed, effect: { ...executed.effect, publicLogs } }], { nameOf: () => "Transfer" }, logger);
  const shown = lines.filter((line) => "event" in line);
  expect(shown[0]).toMatchObject({ event: "Transfer", fields: expect.stringMatching(/^42, 0x\w+\.\.\w+, /) });
  expect(lines).toHaveLength(202);
  expect(lines[200]).toMatchObject({ message: "  and {more:line} more" });
});

test("the log names the public functions of a local network's own contracts without a client that registers them", () => {
  const names = withContractNames(loadCore(), { nameOf: () => undefined });
  const calls = [...recordedTxs("local-network/set-up-txs.bin.gz"), ...recordedTxs("transfers.bin.gz")].flatMap((tx) =>
    tx.publicFunctionCalldata.map(({ values }) => names.nameOf(values.subarray(28, 32))),
  );
  expect(new Set(calls)).toEqual(
    new Set(["constructor", "_finalize_mint_to_private_unsafe", "mint_to_public", "transfer_in_public"]),
  );
  const own = withContractNames(loadCore(), { nameOf: () => "move" });
  expect(own.nameOf(fromHex(SELECTOR))).toBe("move");
});
