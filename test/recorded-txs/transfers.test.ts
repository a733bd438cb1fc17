import { beforeAll, expect, test } from "vitest";
import { mapEntrySlot, publicDataLeafSlot } from "../../src/core/derive/public-storage.ts";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { BlockState } from "../../src/execution/block-state.ts";
import { processTxs } from "../../src/execution/process-txs.ts";
import { Siloing } from "../../src/execution/siloing.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { genesisPublicData } from "../../src/network/genesis.ts";
import { fromHex, readBigUint } from "../../src/protocol/bytes.ts";
import { PUBLIC_DATA_TREE } from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { TemplateRoomError } from "../../src/protocol/tx/template-repeat.ts";
import type { Tx } from "../../src/protocol/tx/tx.ts";
import { BANANA_FEE_CONTRACT, BANANA_TOKEN, setUpTxs } from "../../src/recorded-txs/set-up-txs.ts";
import { mintTx, type TransferPlan, tokenTxs, transferTx } from "../../src/recorded-txs/transfers.ts";
import { genesisContent, genesisState } from "../../src/world-state/genesis.ts";

const core = loadCore();
const vm = new Vm(V4);
const txs = tokenTxs();
const RECIPIENT = fr(0xb07);
const prefundAddresses = [fromHex(BANANA_FEE_CONTRACT)];
const { fork, header } = genesisState(
  core,
  genesisContent(V4, genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses }, V4)),
);
const state = new BlockState({
  core,
  fork,
  globals: { chainId: fr(1), version: fr(2), blockNumber: 1, timestamp: 50n, feePerDaGas: 0n, feePerL2Gas: 10n ** 9n },
  contracts: { contractClass: () => undefined, contractInstance: () => undefined },
  siloing: new Siloing(core, V4),
});
const terms = {
  anchor: header,
  chainId: fr(1),
  version: fr(2),
  expirationTimestamp: 99n,
  maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: 10n ** 9n },
};
let fresh = 1n << 200n;
const next = () => fr(fresh++);
const plan = (privateTransfers: number, publicTransfers: number): TransferPlan => ({
  privateTransfers,
  publicTransfers,
  recipient: RECIPIENT,
  amount: 7n,
  terms,
  next,
});

const run = (made: Tx[]) =>
  processTxs(
    vm,
    state,
    made.map((tx) => ({ tx, hash: txHash(core, tx.data) })),
    { mode: "build" },
  );

function balance(): bigint {
  const slot = publicDataLeafSlot(core, fromHex(BANANA_TOKEN), mapEntrySlot(core, fr(5), RECIPIENT));
  const { leaf, present } = fork.lowLeaf(PUBLIC_DATA_TREE, slot);
  return present && leaf.value ? readBigUint(leaf.value) : 0n;
}

/** On a new local network with a token and a sender who owns some. */
beforeAll(async () => {
  const { processed } = await run([...setUpTxs(terms), mintTx(core, txs, { amount: 1_000n, terms, next })]);
  expect(processed.map(({ effect }) => effect.revertCode)).toEqual([0, 0, 0, 0, 0, 0]);
});

test.each([
  [0, 1],
  [0, 5],
  [1, 0],
  [4, 0],
  [1, 1],
  [3, 2],
])("two txs of %i private and %i public transfers each are executed", async (privateTransfers, publicTransfers) => {
  const before = balance();
  const made = [1, 2].map(() => transferTx(core, txs, plan(privateTransfers, publicTransfers)));
  const { processed, unprocessable, skipped } = await run(made);
  expect({ unprocessable, skipped }).toEqual({ unprocessable: [], skipped: [] });
  expect(processed.map(({ effect }) => effect.revertCode)).toEqual([0, 0]);
  expect(balance() - before).toBe(2n * 7n * BigInt(publicTransfers));
  for (const { effect } of processed) {
    expect(effect.noteHashes.length / 32).toBe(2 * privateTransfers);
    expect(effect.nullifiers.length / 32).toBe(1 + 2 * privateTransfers);
    expect(effect.privateLogs).toHaveLength(3 * privateTransfers);
  }
});

test("the private part of a transfer tx uses the gas that its formula gives", async () => {
  const { processed } = await run([transferTx(core, txs, plan(2, 0)), transferTx(core, txs, plan(0, 4))]);
  const [privately, publicly] = processed.map(({ gasUsed }) => gasUsed);
  expect(privately.totalGas).toEqual({ daGas: 1888 + 1760, l2Gas: 513_900 + 57_900 });
  // Recorded from a tx with four transfers.
  expect(publicly.totalGas.l2Gas - publicly.publicGas.l2Gas).toBe(650_800);
});

test("a tx with more transfers than it has room for is refused", () => {
  expect(() => transferTx(core, txs, plan(0, 33))).toThrow(TemplateRoomError);
  expect(() => transferTx(core, txs, plan(22, 0))).toThrow(
    expect.objectContaining({ what: "privateLogs", wanted: 66, max: 64 }),
  );
  expect(() => transferTx(core, txs, plan(0, 0))).toThrow(RangeError);
  expect(transferTx(core, txs, plan(21, 32)).publicFunctionCalldata).toHaveLength(32);
});

test("a transfer tx cannot be executed twice", async () => {
  const once = transferTx(core, txs, plan(1, 0));
  const { processed, unprocessable } = await run([once, once]);
  expect([processed.length, unprocessable.length]).toEqual([1, 1]);
});
