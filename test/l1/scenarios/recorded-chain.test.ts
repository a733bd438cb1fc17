import { afterAll, beforeAll, expect, test } from "vitest";
import { AnvilSource } from "../../../src/l1/blobs/anvil-source.ts";
import { BeaconHost } from "../../../src/l1/blobs/beacon-source.ts";
import type { SourcedBlobFetcher } from "../../../src/l1/blobs/blob-fetcher.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { HistoricalStateUnavailableError } from "../../../src/l1/errors.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import type { ProposedCheckpoint, RollupReader } from "../../../src/l1/types.ts";
import { concat, equal, isZero, toHex } from "../../../src/protocol/bytes.ts";
import { readCheckpointBlobs } from "../../../src/protocol/checkpoint-blob.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { nextRollingHash } from "../../../src/protocol/l1-to-l2-message.ts";
import { blobsHash } from "../../../src/protocol/sha-trees.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";

let chain: ChainA;
let reader: RollupReader;
let blobs: SourcedBlobFetcher;
let checkpoints: ProposedCheckpoint[];
const kzg = new Kzg();
const connect = (fields: object = {}) =>
  connectRollup({
    l1RpcUrls: [chain.url],
    l1ChainId: 31337,
    registryAddress: CHAIN_A_REGISTRY,
    ethereumSlotDuration: 12,
    ...fields,
  });

beforeAll(async () => {
  chain = await startChainA();
  reader = await connect();
  blobs = createBlobFetcher({
    identity: reader.identity,
    l1RpcUrls: [chain.url],
    kzg,
    fileStoreUrls: [`file://${chain.blobStore}`],
  });
  checkpoints = await reader.checkpoints(reader.identity.constants.l1StartBlock, (await reader.latestBlock()).number);
});
afterAll(async () => {
  await blobs?.close();
  await kzg.close();
  await chain?.stop();
});

test("the recorded chain is found from its registry", () => {
  const { identity } = reader;
  expect(identity).toMatchObject({ l1ChainId: 31337, rollupVersion: 344372055 });
  expect(identity.constants).toMatchObject({
    slotDuration: 72,
    epochDuration: 2,
    ethereumSlotDuration: 12,
    targetCommitteeSize: 0,
  });
  expect(toHex(identity.genesisArchiveRoot)).toBe("0x2dbb06108e9a86dfd66387eac78e843c558a4c742514c4d1423e306717362435");
  expect(identity.addresses).toEqual({
    registryAddress: CHAIN_A_REGISTRY,
    rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44",
    inboxAddress: "0x6a1b3c7624b69000d7848916fb4f42026409586c",
    outboxAddress: "0x2925ce379bca1f75f94b31af463ad05fad7050aa",
    feeJuiceAddress: "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853",
    stakingAssetAddress: "0x0165878a594ca255338adfa4d48449f69242eb8f",
    feeJuicePortalAddress: "0x846005fdb8e3f125749df47d36b2c826029e5364",
    coinIssuerAddress: "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
    rewardDistributorAddress: "0x8daf17a20c9dba35f005b6324f493785d239719d",
    governanceProposerAddress: "0xa51c1fc2f0d1a1b8494ed1fe312d7c3a78ed91c0",
    governanceAddress: "0x0dcd1bf9a1b36ce34237eeafef220932846bcd82",
    gseAddress: "0x610178da211fef7d417bc0e6fed39f05609ad788",
    dateGatedRelayerAddress: "0x0b306bf915c4d645ff596e518faf3f9669b97016",
  });
});

test("the recorded rollup is found by version, by position and by address", async () => {
  const { rollupAddress } = reader.identity.addresses;
  for (const fields of [{ rollupVersion: 344372055 }, { rollupVersion: 0 }, { rollupAddress }]) {
    expect((await connect(fields)).identity).toEqual(reader.identity);
  }
  await expect(connect({ rollupVersion: 12345 })).rejects.toMatchObject({ name: "RollupNotFoundError", fatal: true });
  await expect(connect({ l1ChainId: 1 })).rejects.toMatchObject({
    name: "WrongChainError",
    actual: 31337,
    expected: 1,
  });
});

test("the recorded chain has 59 checkpoints that chain from genesis to L1's pending archive", async () => {
  expect(checkpoints.map((c) => c.checkpointNumber)).toEqual(Array.from({ length: 59 }, (_, i) => i + 1));
  let archive = reader.identity.genesisArchiveRoot;
  for (const { header, archiveRoot } of checkpoints) {
    expect(toHex(header.subarray(CHECKPOINT_AT.lastArchiveRoot, 32))).toBe(toHex(archive));
    archive = archiveRoot;
  }
  const latest = await reader.latestBlock();
  const status = await reader.status(59, latest.number);
  expect(status.pendingCheckpointNumber).toBe(59);
  expect(equal(status.pendingArchive, archive) && equal(status.archiveOfMyCheckpoint, archive)).toBe(true);
  expect(isZero((await reader.status(60, latest.number)).archiveOfMyCheckpoint)).toBe(true);
  expect(isZero(await reader.archiveAt(60))).toBe(true);
  expect(await reader.canPruneAtTime(latest.timestamp, latest.number)).toBe(false);
  expect(await reader.provenCheckpointNumber(latest.number)).toBe(status.provenCheckpointNumber);
});

test("the recorded checkpoints are read by L1 range", async () => {
  const { number } = checkpoints[20].l1;
  expect((await reader.checkpoints(number, number)).map((c) => c.checkpointNumber)).toContain(21);
  expect(await reader.checkpoints(0, checkpoints[0].l1.number - 1)).toEqual([]);
});

test("every blob of the recorded chain is fetched, and its words are those of the checkpoint", async () => {
  let count = 0;
  const read = checkpoints.map(async ({ l1, versionedBlobHashes, header, checkpointNumber }) => {
    expect(toHex(blobsHash(versionedBlobHashes))).toBe(toHex(header.subarray(CHECKPOINT_AT.blobsHash, 96)));
    const data = await blobs.fetch(l1, versionedBlobHashes, { historical: true });
    count += data.length;
    const { blocks } = readCheckpointBlobs(concat(...data));
    expect(blocks.map((b) => b.blockNumber)).toEqual([checkpointNumber]);
  });
  await Promise.all(read);
  expect(count).toBe(59);
});

test("the recorded messages chain to the inbox's rolling hash", async () => {
  const latest = await reader.latestBlock();
  const messages = await reader.messages(reader.identity.constants.l1StartBlock, latest.number);
  const state = await reader.inboxState(latest.number);
  expect(state.totalMessagesInserted).toBe(messages.length);
  let rolling: Uint8Array = new Uint8Array(16);
  for (const message of messages) rolling = nextRollingHash(rolling, message.leaf);
  expect(toHex(rolling)).toBe(toHex(state.rollingHash));
  expect(await reader.findMessage(messages[2].leaf)).toEqual(messages[2]);
  expect(await reader.findMessage(new Uint8Array(32).fill(1))).toBeUndefined();
});

test("the state dump of the recorded L1 lacks contract state at the finalized block", async () => {
  const finalized = await reader.finalizedBlock();
  expect(finalized?.number).toBe((await reader.latestBlock()).number - 64);
  const error = await reader.provenCheckpointNumber(finalized?.number ?? 0).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(HistoricalStateUnavailableError);
  expect(error).toMatchObject({ fatal: false, blockNumber: finalized?.number });
});

test("the recorded chain needs no committee", async () => {
  expect(await reader.committee(3)).toMatchObject({ epoch: 3, committee: undefined, escapeHatchOpen: false });
  expect(await reader.block(1_000_000)).toBeUndefined();
});

test("the development L1 has the recorded blobs, and is asked if no source is configured", async () => {
  const fetcher = createBlobFetcher({ identity: reader.identity, l1RpcUrls: [chain.url], kzg });
  expect(fetcher.sourceNames).toEqual([`anvil at ${chain.url}`]);
  expect(await fetcher.checkSources()).toBe(1);
  const fetched = checkpoints.slice(0, 20).map(async ({ l1, versionedBlobHashes }) => {
    const options = { historical: false };
    const [own, stored] = await Promise.all([
      fetcher.fetch(l1, versionedBlobHashes, options),
      blobs.fetch(l1, versionedBlobHashes, options),
    ]);
    expect(equal(concat(...own), concat(...stored))).toBe(true);
  });
  await Promise.all(fetched);
  await fetcher.close();
});

test("a development L1 without a sidecar endpoint gives the recorded blobs by hash", async () => {
  const http = new BeaconHost({ url: `${chain.url}/nothing-here`, retryDelaysMs: [] });
  const source = new AnvilSource(http, new L1Rpc({ urls: [chain.url], logger: silentLogger }), kzg);
  const [{ l1, versionedBlobHashes }] = checkpoints;
  const missing = new Uint8Array(32).fill(1);
  const { offers, refusals } = await source.ask({ l1Block: l1, wanted: [...versionedBlobHashes, missing] });
  expect(offers.map((o) => toHex(o.versionedHash))).toEqual(versionedBlobHashes.map(toHex));
  expect(refusals).toEqual([{ versionedHash: missing, reason: "not there" }]);
});
