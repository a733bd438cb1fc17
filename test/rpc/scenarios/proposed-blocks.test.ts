import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { RpcAnswer } from "../../../src/rpc/jsonrpc/answer.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { resultCache } from "../../../src/rpc/threads/rpc-reads.ts";
import { type L1Recording, RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { type RecordedNode, recordedBlocks, recordedNode, rivalOf } from "../../world/archiver/recorded-node.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";

/** Answers about a block that is proposed, then checkpointed or replaced. Results are cached as in a running node. */
const core = loadCore();
const CHECKPOINT = 23;
let recording: L1Recording;
let block: ProposedBlock;
let path: string;
let l1: RecordedL1;
let node: RecordedNode;
let ask: (method: string, ...params: unknown[]) => Record<string, unknown> | undefined;

beforeAll(async () => {
  recording = await readRecordedL1();
  const blocks = await recordedBlocks(core, recording);
  block = blocks[CHECKPOINT - 1][0];
});

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "svc-rpc-proposed-"));
  l1 = new RecordedL1(recording, recording.checkpoints[CHECKPOINT - 1].l1.number - 1);
  node = recordedNode(core, l1, path);
  await node.synchronizer.syncOnce();
  const { store, chain, world } = node;
  const content = new ContentStore({ store, chain });
  const registry = publicRegistry(fakeServices({ chain, world, content, core, identity: l1.identity }));
  const results = resultCache({ store, chain }, 2 ** 20);
  const options = { maxBatchSize: 1, namespaces: ["node", "svc"] as const, expectedErrors: [], results };
  const dispatcher = new Dispatcher(registry, options, recordingLogger());
  ask = (method, ...params) => {
    // Asked twice: the second answer may come from the result cache.
    const [first, second] = [0, 1].map(() => {
      const { body } = dispatcher.answer({ method, params }) as RpcAnswer;
      return JSON.parse(Buffer.from(body).toString());
    });
    expect(second).toEqual(first);
    expect(first.error).toBe(undefined);
    return first.result ?? undefined;
  };
});
afterEach(async () => {
  await node.close();
  rmSync(path, { recursive: true, force: true });
});

const processCheckpoint = async () => {
  l1.height = recording.checkpoints[CHECKPOINT - 1].l1.number;
  await node.synchronizer.syncOnce();
};
const numbers = () => {
  const tips = ask("node_getL2Tips") as Record<string, { number?: number; block?: { number: number } }>;
  return [tips.proposed.number, tips.checkpointed.block?.number, tips.proven.block?.number];
};

test("a proposed block is the proposed tip, and a checkpointed block only once its checkpoint is processed", async () => {
  const { number, hash, archiveRoot } = block.record;
  const txHash = toHex(block.txs[0].txHash);
  const seen = () => ({
    tips: numbers(),
    latest: [ask("node_getBlockNumber"), ask("svc_getBlockNumber"), ask("svc_getBlockNumber", "checkpointed")],
    byNumber: ask("node_getBlock", number) !== undefined && ask("svc_getBlock", number) !== undefined,
    header: ask("node_getBlockHeader", toHex(hash)) !== undefined,
    byHash: ask("node_getBlock", toHex(hash)) !== undefined,
    byArchive: ask("node_getBlockByArchive", toHex(archiveRoot)) !== undefined,
    developmentByHash: ask("svc_getBlock", toHex(hash)) !== undefined,
    published: ask("svc_getBlock", number, { includeL1PublishInfo: true })?.l1,
    checkpoint: ask("svc_getCheckpoint", CHECKPOINT) !== undefined,
    checkpointedList: (ask("node_getCheckpointedBlocks", number, 1) as unknown as unknown[]).length,
    onlyCheckpointed: (ask("svc_getBlocks", number, 1, { onlyCheckpointed: true }) as unknown as unknown[]).length,
    status: [ask("node_getTxReceipt", txHash)?.status, ask("svc_getTxReceipt", txHash)?.status],
  });
  await node.synchronizer.addProposedBlock(block);
  expect(seen()).toEqual({
    tips: [number, number - 1, 0],
    latest: [number, number, number - 1],
    byNumber: true,
    header: true,
    byHash: false,
    byArchive: false,
    developmentByHash: true,
    published: { published: false },
    checkpoint: false,
    checkpointedList: 0,
    onlyCheckpointed: 0,
    status: ["proposed", "proposed"],
  });
  await processCheckpoint();
  expect(seen()).toEqual({
    tips: [number, number, 0],
    latest: [number, number, number],
    byNumber: true,
    header: true,
    byHash: true,
    byArchive: true,
    developmentByHash: true,
    published: expect.objectContaining({ published: true }),
    checkpoint: true,
    checkpointedList: 1,
    onlyCheckpointed: 1,
    status: ["checkpointed", "checkpointed"],
  });
});

test("a replaced proposed block is no longer answered, nor is its state", async () => {
  const { number, hash } = block.record;
  const rival = rivalOf(core, node, block);
  const seen = () => [
    (ask("svc_getBlock", number)?.hash ?? ask("svc_getBlock", number)) as unknown,
    ask("node_getBlockHeader", number),
    ask("svc_getBlock", toHex(rival.record.hash)) !== undefined,
    ask("node_getBlockHashMembershipWitness", number, toHex(node.chain.block(number - 1)!.hash)),
  ];
  await node.synchronizer.addProposedBlock(rival);
  const before = seen();
  expect(before[2]).toBe(true);
  await processCheckpoint();
  const after = seen();
  expect(after[2]).toBe(false);
  expect(after[0]).not.toEqual(before[0]);
  expect(after[1]).not.toEqual(before[1]);
  expect(after[1]).toEqual(ask("node_getBlockHeader", toHex(hash)));
  // Both blocks build on the same state.
  expect(after[3]).toEqual(before[3]);
});
