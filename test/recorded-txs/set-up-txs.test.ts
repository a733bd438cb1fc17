import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { BlockState } from "../../src/execution/block-state.ts";
import { globalsOfHeader } from "../../src/execution/globals.ts";
import { processTxs } from "../../src/execution/process-txs.ts";
import { Siloing } from "../../src/execution/siloing.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { genesisPublicData } from "../../src/network/genesis.ts";
import { HEADER_AT, headerSnapshot } from "../../src/protocol/block-header.ts";
import { fromHex, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
  TREE_IDS,
} from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { deployedContracts } from "../../src/protocol/tx/deployed-contracts.ts";
import type { TxEffect } from "../../src/protocol/tx-effect.ts";
import { recordedTxs } from "../../src/recorded-txs/recorded-txs.ts";
import { BANANA_FEE_CONTRACT, BANANA_TOKEN, deploymentTx, setUpTxs } from "../../src/recorded-txs/set-up-txs.ts";
import { genesisContent, genesisState } from "../../src/world-state/genesis.ts";

const core = loadCore();
const vm = new Vm(V4);
const siloing = new Siloing(core, V4);

/** Blocks of the network from which the transactions were recorded: header, archive root after it, tx hashes. */
const blocks: { header: string; archiveRoot: string; txHashes: string[] }[] = JSON.parse(
  readFileSync(new URL("../fixtures/local-network/set-up-blocks.json", import.meta.url), "utf8"),
);
const recorded = recordedTxs("local-network/set-up-txs.bin.gz").map((tx) => ({ tx, hash: txHash(core, tx.data) }));

/** The state of a new local network. */
const genesis = () =>
  genesisState(
    core,
    genesisContent(
      V4,
      genesisPublicData(
        core,
        {
          testAccounts: true,
          sponsoredFpc: true,
          prefundAddresses: [fromHex(BANANA_FEE_CONTRACT)],
        },
        V4,
      ),
    ),
  );
const noContracts = { contractClass: () => undefined, contractInstance: () => undefined };

const asRecorded: TxEffect[] = [];

test("the set-up transactions, executed from genesis, reproduce the recorded blocks", async () => {
  const { fork } = genesis();
  for (const { header: hex, archiveRoot, txHashes } of blocks) {
    const header = fromHex(hex);
    const txs = recorded.filter(({ hash }) => txHashes.includes(toHex(hash)));
    expect(txs).toHaveLength(txHashes.length);
    fork.append(L1_TO_L2_MESSAGE_TREE, [], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    const state = new BlockState({ core, fork, globals: globalsOfHeader(header), contracts: noContracts, siloing });
    const { processed, ...rest } = await processTxs(vm, state, txs, { mode: "reexecute" });
    expect(rest).toMatchObject({ unprocessable: [], failed: [], skipped: [] });
    expect(processed.map(({ effect }) => effect.revertCode)).toEqual(txs.map(() => 0));
    asRecorded.push(...processed.map(({ effect }) => effect));
    const fees = processed.reduce((sum, { effect }) => sum + readBigUint(effect.transactionFee), 0n);
    expect(fees).toBe(readBigUint(header, HEADER_AT.totalFees, 32));
    for (const tree of TREE_IDS) {
      const { root, size } = fork.snapshot(tree);
      const stated = headerSnapshot(header, tree);
      expect([tree, toHex(root), size]).toEqual([tree, toHex(stated.root), stated.size]);
    }
    fork.append(ARCHIVE, [blockHash(core, header)]);
    expect(toHex(fork.snapshot(ARCHIVE).root)).toBe(archiveRoot);
  }
});

test("the set-up transactions, bound to another network and in one block, have the same effects", async () => {
  const maxFeesPerGas = { feePerDaGas: 0n, feePerL2Gas: 5n * 10n ** 12n };
  const { fork, header } = genesis();
  const txs = setUpTxs({
    anchor: header,
    chainId: fr(1),
    version: fr(2),
    expirationTimestamp: 99n,
    maxFeesPerGas,
  }).map((tx) => ({ tx, hash: txHash(core, tx.data) }));
  const globals = {
    chainId: fr(1),
    version: fr(2),
    blockNumber: 1,
    timestamp: 50n,
    feePerDaGas: 0n,
    feePerL2Gas: 10n ** 12n,
  };
  const state = new BlockState({ core, fork, globals, contracts: noContracts, siloing });
  const { processed } = await processTxs(vm, state, txs, { mode: "reexecute" });
  expect(processed.map(({ effect }) => effect.revertCode)).toEqual([0, 0, 0, 0, 0]);

  for (const [i, { effect }] of processed.entries()) {
    // The effects that depend neither on the fee nor on the tx hash.
    const { noteHashes, nullifiers, privateLogs, contractClassLogs, publicLogs } = effect;
    const other = asRecorded[i];
    expect({ noteHashes, nullifiers, privateLogs, contractClassLogs, publicLogs }).toEqual({
      noteHashes: other.noteHashes,
      nullifiers: other.nullifiers,
      privateLogs: other.privateLogs,
      contractClassLogs: other.contractClassLogs,
      publicLogs: other.publicLogs,
    });
    expect(toHex(effect.txHash)).not.toBe(toHex(other.txHash));
  }
});

test("the set-up transaction of a contract is the one that deploys it", () => {
  const { header } = genesis();
  const terms = {
    ...{ anchor: header, chainId: fr(1), version: fr(2), expirationTimestamp: 99n },
    maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: 1n },
  };
  for (const address of [BANANA_TOKEN, BANANA_FEE_CONTRACT]) {
    expect(deployedContracts(deploymentTx(fromHex(address), terms).data, V4.contracts).map(toHex)).toEqual([address]);
  }
  expect(() => deploymentTx(fr(9), terms)).toThrow("no set-up transaction deploys 0x0");
});
