import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import type { AllowedSetupCall } from "../../../src/protocol/generations/transactions.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { FunctionSignatures } from "../../../src/rpc/methods/contracts/function-signatures.ts";
import { ABSENT_SERVICES } from "../../../src/rpc/ports/absent-services.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { GetReads } from "../../../src/rpc/routes/get-reads.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import type { HttpApplication } from "../../../src/rpc/wire/listener.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { UnknownStateError } from "../../../src/world-state/errors.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";
import { asRelease43 } from "../../world/node/later-release.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";
import { type RecordedCase, recordedChain } from "../support/recorded.ts";

/** Calls that the recording's network added to those allowed during setup. */
const TOKEN_CLASS = fromHex("0x01efe16b55107894e6b6fb63cebc1a3233e23bbcd648fd9cdf6c0351749ce7ee");
const SETUP_EXTENSION: AllowedSetupCall[] = [
  { classId: TOKEN_CLASS, selector: fromHex("e7f045ff"), calldataLength: 3, onlySelf: true },
  { classId: TOKEN_CLASS, selector: fromHex("8c9e5472"), calldataLength: 5 },
];

/** As release 4.3 answers, with the result null where the recorded node left it out. */
const cases = recordedChain()
  .map(asRelease43)
  .map((one) => (one.error === undefined ? { ...one, result: one.result ?? null } : one));
const log = recordingLogger();
let l1: ChainA;
let store: Store;
let services: NodeServices;
let dispatcher: Dispatcher;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const core = loadCore();
  l1 = await startChainA();
  closing.push(() => l1.stop());
  const reader = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: CHAIN_A_REGISTRY,
    ethereumSlotDuration: 12,
  });
  const { identity } = reader;
  const blobs = createBlobFetcher({
    identity,
    l1RpcUrls: [l1.url],
    fileStoreUrls: [`file://${l1.blobStore}`],
  });
  closing.push(() => blobs.close());
  const path = mkdtempSync(join(tmpdir(), "svc-rpc-"));
  closing.push(() => rmSync(path, { recursive: true, force: true }));
  store = openStore({ path });
  closing.push(() => store.close());
  const funded = {
    testAccounts: true,
    sponsoredFpc: true,
    prefundAddresses: [fromHex("0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a")],
  };
  const world = new WorldState(core, store, genesisContent(V4, genesisPublicData(core, funded, V4)));
  const chain = new ChainStore({
    store,
    genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
    epochDuration: identity.constants.epochDuration,
    generation: V4,
  });
  const synchronizer = new Synchronizer({
    store,
    chain,
    worldState: world,
    reader,
    blobs,
    rebuild: rebuildInThread(core, V4),
    validateAttestations: async () => ({ valid: true }),
    logger: silentLogger,
  });
  closing.push(() => synchronizer.stop());
  await synchronizer.syncOnce();
  services = {
    ...ABSENT_SERVICES,
    chain,
    content: new ContentStore({ store, chain }),
    world,
    core,
    identity,
    status: {
      ready: () => true,
      version: "4.3.1",
      // The answers were recorded from 4.1.2.
      revertWords: "4.1",
      realProofs: false,
      txGasLimits: () => ({ daGas: 117_965, l2Gas: 6_540_000 }),
    },
    sync: { lastProcessedL1Block: () => chain.state.processed() },
    fees: reader.fees,
    outbox: reader.outbox,
    setup: { allowed: () => SETUP_EXTENSION },
    signatures: new FunctionSignatures(),
  };
  const options = { maxBatchSize: 100, namespaces: ["svc", "node"] as const, expectedErrors: [UnknownStateError] };
  dispatcher = new Dispatcher(publicRegistry(services), options, log);
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function ask(method: string, params: unknown[]): Promise<Omit<RecordedCase, "method" | "params">> {
  const { status, body } = await dispatcher.answer({ jsonrpc: "2.0", id: 1, method, params });
  const { jsonrpc: _, id: __, ...answer } = JSON.parse(Buffer.from(body).toString());
  return { status, ...answer };
}

async function result(method: string, ...params: unknown[]): Promise<unknown> {
  const answer = await ask(method, params);
  expect(answer.error, `${method} ${JSON.stringify(params)}`).toBeUndefined();
  return answer.result;
}

/**
 * Drops the parts of a result that a replay cannot repeat: the finalized tip, which the replayed L1 does not have, and
 * L1 contracts that cannot be found from the registry.
 */
function comparable({ method, result: given }: Pick<RecordedCase, "method" | "result">): unknown {
  const copy = given === undefined ? undefined : JSON.parse(JSON.stringify(given));
  if (method === "getL2Tips") delete copy.finalized;
  if (method === "getWorldStateSyncStatus") delete copy.finalizedBlockNumber;
  if (method === "getTxReceipt" && copy?.status === "finalized") copy.status = "proven";
  const addresses =
    method === "getNodeInfo" ? copy.l1ContractAddresses : method === "getL1ContractAddresses" ? copy : {};
  for (const name of OPTIONAL_ADDRESSES) delete addresses[name];
  return copy;
}
const OPTIONAL_ADDRESSES = [
  "slashFactoryAddress",
  "feeAssetHandlerAddress",
  "stakingAssetHandlerAddress",
  "zkPassportVerifierAddress",
  "dateGatedRelayerAddress",
];
/** Methods whose answers come from the recording's transaction pool. */
const POOL = ["getTxByHash", "getTxsByHash"];

describe("node_ methods over recorded chain A", () => {
  const methods = [...new Set(cases.map(({ method }) => method))];

  test.each(methods.filter((method) => !POOL.includes(method)))(
    "node_%s gives every recorded answer of the network's node",
    async (method) => {
      for (const recorded of cases.filter((one) => one.method === method)) {
        const question = `${method}(${JSON.stringify(recorded.params).slice(0, 200)})`;
        const { status, result: given, error } = await ask(`node_${method}`, recorded.params);
        expect({ status, error }, question).toEqual({ status: recorded.status, error: recorded.error });
        // Compared as text: members have the recorded order too.
        expect(JSON.stringify(comparable({ method, result: given })), question).toBe(
          JSON.stringify(comparable(recorded)),
        );
      }
    },
  );

  test("no node_ question logs an error", () => expect(log.entries).toEqual([]));
});

describe("GET over recorded chain A", () => {
  const registry = () => publicRegistry(services);
  const get = async (method: string, params: unknown[]) => {
    const unreached: HttpApplication = {
      receive: () => ({ status: 599, headers: [] }),
      failed: () => ({ status: 500, headers: [] }),
    };
    const reads = new GetReads(unreached, { registry: registry(), namespaces: ["node"] }, log);
    const query = `params=${encodeURIComponent(JSON.stringify(params))}`;
    const head = { method: "GET", path: `/v1/node_${method}`, query, header: () => "" };
    const answer = await reads.receive({ ...head, client: () => "", signal: () => new AbortController().signal });
    if (!("status" in answer)) throw new TypeError("no answer");
    const { jsonrpc: _, id, ...body } = JSON.parse(Buffer.from(answer.body ?? "").toString());
    expect(id).toBeNull();
    return { status: answer.status, kept: new Map(answer.headers).get("Cache-Control")?.includes("immutable"), body };
  };
  const isHash = (param: unknown) => typeof param === "string" && /^0x[0-9a-f]{64}$/.test(param);

  test("every recorded question by hash has the recorded answer, and caches keep just those that are there", async () => {
    const served = cases.filter(({ method }) => registry().find("node", method)?.immutable !== undefined);
    let kept = 0;
    for (const { method, params, result: expected, error } of served) {
      const question = `${method} ${JSON.stringify(params)}`;
      const answer = await get(method, params);
      if (answer.body.error?.message.includes("by POST")) continue;
      expect(comparable({ method, result: answer.body.result }), question).toEqual(
        comparable({ method, result: expected }),
      );
      expect(answer.body.error?.code, question).toBe(error?.code);
      const found = error === undefined && expected !== null;
      expect(answer.status, question).toBe(error ? 400 : found ? 200 : 404);
      // The replayed L1 has no finalized block, so no effect is final.
      expect(answer.kept, question).toBe(found && isHash(params[0]) && method !== "getTxEffect");
      kept += answer.kept ? 1 : 0;
    }
    expect(new Set(served.map(({ method }) => method)).size).toBeGreaterThan(10);
    expect(kept).toBeGreaterThan(50);
  });
});

describe("svc_ methods over recorded chain A", () => {
  type Effect = Record<string, never> & { revertCode: number };

  test("svc_getBlock has the contents of node_getBlock, by number, hash and archive", async () => {
    for (const number of [1, 11, 59]) {
      const release = (await result("node_getBlock", number)) as Record<string, never> & {
        body: { txEffects: Effect[] };
      };
      const whole = await result("svc_getBlock", { number }, { includeTransactions: true });
      const { hash, ...rest } = whole as { hash: string };
      const effects = release.body.txEffects.map((effect) => ({
        ...effect,
        revertCode: Math.min(effect.revertCode, 1),
      }));
      expect(rest).toEqual({ ...release, body: { txEffects: effects }, number });
      expect(await result("svc_getBlock", hash)).toEqual({ ...(whole as object), body: undefined });
      const { archive } = release as unknown as { archive: { root: string } };
      expect(await result("svc_getBlock", { archive: archive.root })).toMatchObject({ number, hash });
    }
  });

  test("blocks and checkpoints read in ranges equal those read one by one", async () => {
    const options = { includeTransactions: true, includeL1PublishInfo: true, includeAttestations: true };
    const blocks = (await result("svc_getBlocks", 5, 3, options)) as { number: number }[];
    for (const block of blocks) expect(await result("svc_getBlock", block.number, options)).toEqual(block);
    const checkpoints = (await result("svc_getCheckpoints", 5, 3, { ...options, includeBlocks: true })) as {
      number: number;
      header: { slotNumber: number };
      blocks: unknown[];
    }[];
    for (const checkpoint of checkpoints) {
      const { slotNumber: slot } = checkpoint.header;
      expect(await result("svc_getCheckpoint", { slot }, { ...options, includeBlocks: true })).toEqual(checkpoint);
      expect(checkpoint.blocks).toEqual(
        await result("svc_getBlocks", checkpoint.number, 1, { includeTransactions: true }),
      );
      const query = { fromSlot: slot, limit: 1 };
      const [data] = (await result("svc_getCheckpointsData", query)) as { checkpointNumber: number }[];
      expect(data.checkpointNumber).toBe(checkpoint.number);
      expect(await result("svc_getCheckpointsData", { ...query, reverse: true })).toEqual([data]);
    }
  });

  test("svc_getTxReceipt has the effect of the tx and its place in the chain", async () => {
    for (const recorded of cases.filter(({ method }) => method === "getTxEffect")) {
      const indexed = recorded.result as { l2BlockNumber: number; txIndexInBlock: number; data: Effect };
      const effect = { ...indexed.data, revertCode: Math.min(indexed.data.revertCode, 1) };
      const receipt = await result("svc_getTxReceipt", recorded.params[0], { includeTxEffect: true });
      expect(receipt).toMatchObject({
        blockNumber: indexed.l2BlockNumber,
        txIndexInBlock: indexed.txIndexInBlock,
        executionResult: effect.revertCode === 0 ? "success" : "reverted",
        txEffect: effect,
      });
    }
  });

  test("a cursor goes on only in the block whose hash it names, and pages are whole", async () => {
    type Logs = { logs: { id: { blockNumber: number; blockHash: string } }[] };
    const all = (await result("node_getPublicLogs", {})) as Logs;
    const [first, ...later] = all.logs;
    expect(await result("node_getPublicLogs", { afterLog: first.id })).toMatchObject({ logs: later });
    const other = `0x${"11".repeat(32)}`;
    const elsewhere = later.find(({ id }) => id.blockNumber !== first.id.blockNumber)!.id.blockHash;
    for (const blockHash of [other, elsewhere]) {
      for (const method of ["node_getPublicLogs", "node_getContractClassLogs"]) {
        const { error } = await ask(method, [{ afterLog: { ...first.id, blockHash } }]);
        expect(error).toMatchObject({ code: -32702, message: expect.stringContaining(`Block ${blockHash} not found`) });
      }
    }
    for (const page of [1.5, 0.1]) {
      const { error } = await ask("node_getPrivateLogsByTags", [["0x1"], page]);
      expect(error).toEqual({ code: -32701, message: "Expected integer, received float (1)" });
    }
  });

  test("svc_getPrivateLogsByTags finds the logs that node_getPrivateLogsByTags finds, and pages them by cursor", async () => {
    for (const recorded of cases.filter(
      ({ method, error, params }) => method === "getPrivateLogsByTags" && !error && !params[1],
    )) {
      const tags = recorded.params[0] as string[];
      const logs = (await result("svc_getPrivateLogsByTags", { tags, includeEffects: true })) as Record<
        string,
        never
      >[][];
      const shown = (recorded.result as Record<string, never>[][]).map((found) =>
        found.map(({ txHash, logData, noteHashes, blockNumber }) => ({ txHash, logData, noteHashes, blockNumber })),
      );
      expect(logs.map((found) => found.slice(0, 10))).toMatchObject(shown);
      for (const [i, [first, ...later]] of logs.entries()) {
        if (first === undefined) continue;
        const { blockNumber, txHash, txIndexWithinBlock, logIndexWithinTx } = first;
        for (const cursor of [{ txHash }, { txIndexWithinBlock }]) {
          const afterLog = { blockNumber, logIndexWithinTx, ...cursor };
          const query = { tags: [{ tag: tags[i], afterLog }], includeEffects: true };
          expect(await result("svc_getPrivateLogsByTags", query)).toEqual([later]);
        }
      }
    }
  });

  test("svc_getL2ToL1MembershipWitness proves messages to L1 against the outbox", async () => {
    let proven = 0;
    for (const recorded of cases.filter(({ method }) => method === "getTxEffect")) {
      const { data } = recorded.result as { data: { l2ToL1Msgs: string[]; txHash: string } };
      for (const [i, message] of data.l2ToL1Msgs.entries()) {
        const witness = await result("svc_getL2ToL1MembershipWitness", data.txHash, message, i);
        if (witness !== null) proven += 1;
      }
    }
    expect(proven).toBeGreaterThan(0);
  });

  test("the synced L1 time is that of the last processed L1 block", async () => {
    const { timestamp } = services.sync.lastProcessedL1Block()!;
    expect(await result("svc_getSyncedL1Timestamp")).toBe(String(timestamp));
    const tip = (await result("svc_getCheckpoint", "checkpointed")) as { header: { slotNumber: number } };
    expect(await result("svc_getSyncedL2SlotNumber")).toBeGreaterThanOrEqual(tip.header.slotNumber);
  });
});
