import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rebuildCheckpoint } from "../../../src/archiver/rebuild-checkpoint.ts";
import type { RebuildInput, RebuiltCheckpoint } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { blockEffects } from "../../../src/archiver/replay-world-state.ts";
import { mapEntrySlot, publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { findProposeCall } from "../../../src/l1/checkpoints/find-propose-call.ts";
import { CHECKPOINT_PROPOSED_TOPIC, readProposedEvents } from "../../../src/l1/checkpoints/proposed-event.ts";
import { discoverContracts } from "../../../src/l1/rollup/discovery.ts";
import { readIdentity } from "../../../src/l1/rollup/identity.ts";
import { retrieveMessages } from "../../../src/l1/rollup/inbox-messages.ts";
import { rollupGeneration } from "../../../src/l1/rollup/rollup-protocol.ts";
import { transaction } from "../../../src/l1/rpc/answers.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { getLogs } from "../../../src/l1/rpc/logs.ts";
import type { InboxMessage } from "../../../src/l1/types.ts";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { ARCHIVE, INITIAL_FEE_JUICE } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { checkpointOutHash, inHash } from "../../../src/protocol/sha-trees.ts";
import { items } from "../../../src/protocol/tx-effect.ts";
import { openStore } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { applyInParts, cutIntoParts } from "../../../src/world-state/apply-in-parts.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import type { PrefilledEntry } from "../../../src/world-state/tables/genesis-row.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { readVectors } from "../../protocol/generations/v5/vectors.ts";
import { ServedRecording, V5_CHAINS, type V5Chain } from "../../world/l1/served-recording.ts";

const core = loadCore();

interface Read {
  inputs: RebuildInput[];
  messages: InboxMessage[];
}

/** Everything that a follower reads of a recorded rollup: its constants, proposals (also pruned ones), blobs, messages. */
async function readChain(l1: ServedRecording, chain: V5Chain): Promise<Read> {
  const rpc = new L1Rpc({ urls: [l1.url], logger: silentLogger });
  const addresses = await discoverContracts(rpc, { registryAddress: V5_CHAINS[chain] });
  const generation = await rollupGeneration(rpc, addresses.rollupAddress);
  expect(generation).toBe(V5);
  const identity = await readIdentity(rpc, addresses, generation, { l1ChainId: 31337, ethereumSlotDuration: 12 });
  const { rollupAddress, inboxAddress } = addresses;
  const { l1ChainId, rollupVersion } = identity;
  const context = { generation, l1ChainId, rpc, debugRpc: rpc, rollupAddress, committeeSize: 0 };
  const range = { fromBlock: 0, toBlock: l1.until };
  const proposed = { address: rollupAddress, topics: [CHECKPOINT_PROPOSED_TOPIC], ...range };
  const messages = await retrieveMessages(rpc, inboxAddress, range);
  const fetcher = createBlobFetcher({ identity, l1RpcUrls: [l1.url], fileStoreUrls: [`file://${l1.blobStore}`] });
  const inputs: RebuildInput[] = [];
  for (const event of await getLogs(rpc, proposed, readProposedEvents)) {
    const { checkpointNumber, archiveRoot, versionedBlobHashes, log } = event;
    const params = [toHex(log.transactionHash)];
    const tx = await rpc.request({ method: "eth_getTransactionByHash", params, parse: transaction });
    const { header } = await findProposeCall(tx!, event, context);
    const block = { number: log.blockNumber, hash: log.blockHash, timestamp: 0 };
    const blobs = concat(...(await fetcher.fetch(block, versionedBlobHashes, { historical: true })));
    const { rollupManaLimit } = identity.constants;
    const rollup = { l1ChainId, rollupVersion, rollupManaLimit };
    inputs.push({ checkpointNumber, header, archiveRoot, versionedBlobHashes, blobs, ...rollup });
  }
  await fetcher.close();
  return { inputs, messages };
}

/** Fee juice of the addresses that the recorded networks fund. */
function fundedBalances(): PrefilledEntry[] {
  const [{ testAccounts, sponsoredFpc }] = V5.genesis.releases;
  const prefunded = "0x0ea5e3299643640e61f66001d44b91810255d9b6e3137dfab744562097e445b3";
  return [...testAccounts, sponsoredFpc, prefunded]
    .map((address) => ({
      slot: publicDataLeafSlot(core, V5.contracts.feeJuice, mapEntrySlot(core, fr(1), fromHex(address))),
      value: fr(INITIAL_FEE_JUICE),
    }))
    .sort((a, b) => Buffer.compare(a.slot, b.slot));
}

/** A checkpoint with a header of v4's length. */
const readAsV4 = (input: RebuildInput): RebuildInput => ({
  ...input,
  header: input.header.subarray(0, V4.headers.checkpointBytes),
});

/** Applies rebuilt checkpoints to the trees, which checks every root of every header, and calls back with the trees. */
async function applyAll(
  checkpoints: readonly RebuiltCheckpoint[],
  messages: readonly InboxMessage[],
  inspect: (world: WorldState) => void,
  generation: Generation = V5,
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), "svc-v5-trees-"));
  const store = openStore({ path });
  try {
    const world = new WorldState(core, store, genesisContent(generation, fundedBalances()));
    const effects = checkpoints.map(({ checkpointNumber, blocks }) => {
      const own = messages.filter((message) => message.checkpointNumber === checkpointNumber);
      return {
        effects: blocks.map((block) =>
          blockEffects(
            block,
            own.map(({ leaf }) => leaf),
          ),
        ),
      };
    });
    await applyInParts(world, cutIntoParts(effects), (_, prepared) => {
      store.transaction(() => world.write(prepared!));
    });
    inspect(world);
  } finally {
    await store.close();
    rmSync(path, { recursive: true, force: true });
  }
}

describe("a recorded v5 chain, from its L1 and blobs", () => {
  let l1: ServedRecording;
  let read: Read;
  let rebuilt: RebuiltCheckpoint[];

  beforeAll(async () => {
    l1 = await ServedRecording.start("chain");
    read = await readChain(l1, "chain");
    rebuilt = read.inputs.map((input) => rebuildCheckpoint(input, core, V5));
  });
  afterAll(() => l1.stop());

  test("its blocks have the recorded headers, hashes and archives", () => {
    const blocks = readVectors<{ number: number; headerBytes: string; hash: string; archive: string }[]>("blocks");
    const records = rebuilt.flatMap((checkpoint) => checkpoint.blocks.map(({ record }) => record));
    expect(records).toHaveLength(161);
    records.forEach(({ number, header, hash, archiveRoot }, i) => {
      expect(number).toBe(blocks[i].number);
      expect(toHex(header)).toBe(blocks[i].headerBytes);
      expect(toHex(hash)).toBe(blocks[i].hash);
      expect(toHex(archiveRoot)).toBe(blocks[i].archive);
    });
  });

  test("its checkpoints commit to their messages both ways", () => {
    const recorded = readVectors<{ checkpointOutHash: string }[]>("checkpoints");
    rebuilt.forEach(({ checkpointNumber, header, outHash, blocks }, i) => {
      const own = read.messages.filter((message) => message.checkpointNumber === checkpointNumber);
      const leaves = own.map(({ leaf }) => leaf);
      expect(toHex(inHash(leaves))).toBe(toHex(header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.epochOutHash)));
      const sent = blocks.map(({ txs }) => txs.map(({ l2ToL1Msgs }) => items(l2ToL1Msgs)));
      expect(toHex(outHash)).toBe(recorded[i].checkpointOutHash);
      expect(outHash).toEqual(checkpointOutHash(sent));
    });
    expect(read.messages).toHaveLength(13);
  });

  test("its contract events are all accepted, instances with their hash of immutables", () => {
    const events = rebuilt.flatMap(({ blocks }) => blocks.map(({ contractEvents }) => contractEvents));
    expect(events.flatMap(({ refused }) => refused)).toEqual([]);
    const published = events.flatMap(({ instances }) => instances.map(({ address }) => toHex(address)));
    expect(published).toContain(toHex(V5.contracts.authRegistry));
    const counts = [published, events.flatMap(({ classes }) => classes), events.flatMap(({ updates }) => updates)];
    expect(counts.map(({ length }) => length)).toEqual([15, 11, 1]);
  });

  test("its blocks give the trees the roots of their headers, from the rollup's genesis on", async () => {
    await applyAll(rebuilt, read.messages, (world) => {
      expect(toHex(world.genesisBlockHash())).toBe(
        "0x131556e4f55c73279d525c6e412be86202519f3a1a3614bbcb48066bcc8a9ad5",
      );
      const genesis = rebuilt[0].header.subarray(CHECKPOINT_AT.lastArchiveRoot, CHECKPOINT_AT.blockHeadersHash);
      expect(world.snapshot(0, ARCHIVE).root).toEqual(genesis);
      expect(world.status().tip).toBe(161);
      for (const { blocks } of rebuilt) {
        for (const { record } of blocks)
          expect(world.snapshot(record.number, ARCHIVE).root).toEqual(record.archiveRoot);
      }
    });
  });

  test("a checkpoint of one block that is read as v4's is refused by the first root of the trees", async () => {
    const asV4 = rebuildCheckpoint(readAsV4(read.inputs[0]), core, V4);
    await expect(applyAll([asV4], read.messages, () => {}, V4)).rejects.toThrow(/does not match .*tree ARCHIVE/);
  });

  test("a checkpoint whose header states other fees than its blocks' is refused", () => {
    const input = read.inputs[0];
    const at = V5.headers.accumulatedFeesAt!;
    const header = Uint8Array.from(input.header);
    header.set(bigUintBytes(readBigUint(header, at, 32) + 1n, 32), at);
    expect(() => rebuildCheckpoint({ ...input, header }, core, V5)).toThrow(
      "checkpoint 1: accumulatedFees must equal the sum of its blocks' fees",
    );
  });
});

test("a recorded v5 chain of the production sequencer is rebuilt, with several blocks a checkpoint and its pruned part", async () => {
  const l1 = await ServedRecording.start("pruned-chain");
  try {
    const { inputs, messages } = await readChain(l1, "pruned-chain");
    const rebuilt = inputs.map((input) => rebuildCheckpoint(input, core, V5));
    expect(rebuilt.map(({ checkpointNumber }) => checkpointNumber)).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3]);
    const counts = rebuilt.map(({ blocks }) => blocks.length);
    expect(counts).toEqual([2, 1, 1, 3, 3, 2, 1, 1, 1]);
    // In v4 their hashes have another root.
    for (const input of inputs.filter((_, at) => counts[at] > 1)) {
      expect(() => rebuildCheckpoint(readAsV4(input), core, V4)).toThrow("blockHeadersHash of its blocks must equal");
    }
    // Each checkpoint continues the one before; that of the new chain continues genesis.
    const archives = rebuilt.map(({ archiveRoot }) => toHex(archiveRoot));
    const before = rebuilt.map(({ header }) => toHex(header.subarray(0, CHECKPOINT_AT.blockHeadersHash)));
    expect(before.slice(1, 6)).toEqual(archives.slice(0, 5));
    expect(before.slice(7)).toEqual(archives.slice(6, 8));
    expect(before[6]).toBe(before[0]);
    const tips: number[] = [];
    for (const branch of [rebuilt.slice(0, 6), rebuilt.slice(6)]) {
      await applyAll(branch, messages, (world) => tips.push(world.status().tip));
    }
    expect(tips).toEqual([12, 3]);
  } finally {
    await l1.stop();
  }
});
