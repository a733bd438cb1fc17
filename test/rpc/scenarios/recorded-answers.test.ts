import { describe, expect, test } from "vitest";
import { fromHex, readUint } from "../../../src/protocol/bytes.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { RpcAnswer } from "../../../src/rpc/jsonrpc/answer.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import type { WorldStateReader } from "../../../src/world-state/types.ts";
import { asRelease43 } from "../../world/node/later-release.ts";
import { fakeChain, fakeServices, fakeWorld, recordingLogger } from "../../world/rpc/fakes.ts";
import { type RecordedCase, recordedChain, recordedErrors } from "../support/recorded.ts";
import { blockBytes, checkpointBytes, type JsonObject } from "./recorded-bytes.ts";

const cases = recordedChain();
const TIP = 59;

function dispatcher(services: Partial<NodeServices>): Dispatcher {
  const registry = publicRegistry(fakeServices(services));
  return new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node"] }, recordingLogger());
}

function ask(to: Dispatcher, method: string, params: unknown[]): { status: number; text: string } {
  const { status, body } = to.answer({ jsonrpc: "2.0", id: 1, method, params }) as RpcAnswer;
  return { status, text: Buffer.from(body).toString() };
}

/** The recorded response as text. */
function expected({ result, error }: RecordedCase): string {
  // The reference leaves the result out where it has none.
  return JSON.stringify({ jsonrpc: "2.0", id: 1, ...(error === undefined ? { result: result ?? null } : { error }) });
}

function blockNumber(header: object): number {
  return (header as { globalVariables: { blockNumber: number } }).globalVariables.blockNumber;
}

function of(...methods: string[]): RecordedCase[] {
  return cases.filter(({ method }) => methods.includes(method));
}

/** Blocks and checkpoints of the recording, back in stored form. */
function recordedBlocksAndCheckpoints() {
  const published = of("getCheckpoints").flatMap(({ result }) => result as JsonObject[]);
  const data = of("getCheckpointsDataForEpoch").flatMap(({ params, result }) =>
    (result as JsonObject[]).map((record) => ({ epoch: Number(params[0]), record: checkpointBytes(record) })),
  );
  const json = [
    ...of("getBlock", "getBlockByHash", "getBlockByArchive").map(({ result }) => result),
    ...of("getBlocks").flatMap(({ result }) => result),
    ...published.flatMap(({ checkpoint }) => (checkpoint as JsonObject).blocks),
  ].filter((block) => block !== undefined) as JsonObject[];
  // Each checkpoint of this chain has one block, so its hash of headers is that block's hash.
  const hashes = new Map<number, Uint8Array>();
  for (const { checkpoint } of published) {
    const { header, number } = checkpoint as { header: JsonObject; number: number };
    hashes.set(number, fromHex(header.blockHeadersHash as string));
  }
  for (const { params, result } of of("getBlock", "getBlockByHash")) {
    const hash = params[0];
    if (typeof hash === "string" && hash.startsWith("0x") && result !== undefined) {
      hashes.set(blockBytes(result as JsonObject, new Uint8Array()).block.number, fromHex(hash));
    }
  }
  const blocks = json.map((block) => {
    const stored = blockBytes(block, new Uint8Array(32).fill(7));
    return { ...stored, block: { ...stored.block, hash: hashes.get(stored.block.number) ?? stored.block.hash } };
  });
  const epochs = new Map(data.map(({ epoch, record }) => [record.number, epoch]));
  const checkpoints = new Map(data.map(({ record }) => [record.number, record]));
  for (const { checkpoint, l1 } of published) {
    const { header, archive, number } = checkpoint as JsonObject;
    const rest = {
      checkpointNumber: number,
      startBlock: number,
      blockCount: 1,
      checkpointOutHash: `0x${"0".repeat(64)}`,
    };
    if (!checkpoints.has(number as number)) {
      checkpoints.set(number as number, checkpointBytes({ header, archive, l1, ...rest }));
    }
  }
  return fakeChain({
    blocks,
    checkpoints: [...checkpoints.values()],
    latest: TIP,
    epochOf: ({ number }) => epochs.get(number) ?? -1,
  });
}

describe("recorded answers of the reference", () => {
  const chain = recordedBlocksAndCheckpoints();

  test.each(["getBlock", "getBlockHeader", "getBlockByHash", "getBlockByArchive", "getBlockHeaderByArchive"])(
    "%s answers are the recorded bytes",
    (method) => {
      const node = dispatcher({ chain });
      let compared = 0;
      for (const recorded of of(method)) {
        const answered = recorded.result as { header?: object } | undefined;
        const header = answered?.header ?? answered;
        // Some blocks were recorded with their header only.
        if (header !== undefined && chain.block(blockNumber(header)) === undefined) continue;
        expect(ask(node, `node_${method}`, recorded.params)).toEqual({
          status: recorded.status,
          text: expected(recorded),
        });
        compared += 1;
      }
      expect(compared).toBeGreaterThan(0);
    },
  );

  test.each(["getBlocks", "getCheckpoints", "getCheckpointedBlocks", "getCheckpointsDataForEpoch"])(
    "%s answers are the recorded bytes",
    (method) => {
      const node = dispatcher({ chain });
      for (const recorded of of(method)) {
        expect(ask(node, `node_${method}`, recorded.params).text).toBe(expected(recorded));
      }
    },
  );

  test("getL2Tips answers are the recorded bytes", () => {
    const [recorded] = of("getL2Tips");
    const tips = recorded.result as ReturnType<typeof chain.tips>;
    expect(ask(dispatcher({ chain: { ...chain, tips: () => tips } }), "node_getL2Tips", []).text).toBe(
      expected(recorded),
    );
  });

  test("getWorldStateSyncStatus answers are the recorded bytes", () => {
    const [recorded] = of("getWorldStateSyncStatus");
    const status = recorded.result as Record<string, never>;
    const world = fakeWorld(TIP, {
      status: () => ({ tip: TIP, finalized: status.finalizedBlockNumber, oldest: status.oldestHistoricBlockNumber }),
      leafAt: () => fromHex(status.latestBlockHash),
    });
    expect(ask(dispatcher({ world }), "node_getWorldStateSyncStatus", []).text).toBe(expected(recorded));
  });

  test.each(["getNullifierMembershipWitness", "getLowNullifierMembershipWitness", "getPublicDataWitness"])(
    "%s answers are the recorded bytes",
    (method) => {
      for (const recorded of of(method).filter((one) => asRelease43(one) === one)) {
        const node = dispatcher({ chain, world: fakeWorld(TIP, leafWitness(recorded.result)) });
        expect(ask(node, `node_${method}`, recorded.params).text).toBe(expected(recorded));
      }
    },
  );

  test.each(["getNoteHashMembershipWitness", "getBlockHashMembershipWitness", "getL1ToL2MessageMembershipWitness"])(
    "%s answers are the recorded bytes",
    (method) => {
      for (const recorded of of(method)) {
        const node = dispatcher({ chain, world: fakeWorld(TIP, pathWitness(recorded.result)) });
        expect(ask(node, `node_${method}`, recorded.params).text).toBe(expected(recorded));
      }
    },
  );

  test("findLeavesIndexes answers are the recorded bytes", () => {
    for (const recorded of of("findLeavesIndexes").filter(({ result }) => result !== undefined)) {
      const found = recorded.result as (Record<string, never> | null)[];
      const values = recorded.params[2] as string[];
      const origin = (index: number) => found.find((leaf) => leaf !== null && Number(leaf.data) === index)!;
      const world = fakeWorld(TIP, {
        findLeaf: (_block, _tree, value) => {
          const leaf = found[values.findIndex((text) => Buffer.compare(fromHex(text), value) === 0)];
          return leaf === null ? undefined : Number(leaf.data);
        },
        blockOfLeaf: (_tree, index) => index,
      });
      const block = (index: number) => ({
        ...chain.block(TIP)!,
        number: origin(index).l2BlockNumber,
        hash: fromHex(origin(index).l2BlockHash),
      });
      // The fake uses a leaf's index as its block number, so that the recorded block can be found by it.
      const node = dispatcher({ chain: { ...chain, block, blockNumberByHash: () => TIP }, world });
      expect(ask(node, "node_findLeavesIndexes", recorded.params).text).toBe(expected(recorded));
    }
  });

  test("refusals of parameters and reference blocks are the recorded bytes", () => {
    const withHeight = (tip: number) => dispatcher({ world: fakeWorld(tip), chain: fakeChain({ latest: tip }) });
    const node = withHeight(12);
    // Here block 0 is genesis. The reference reads 0 as "latest" and refuses some calls for it.
    for (const recorded of recordedErrors()) {
      expect([recorded.method, recorded.params, ask(node, recorded.method, recorded.params as unknown[])]).toEqual([
        recorded.method,
        recorded.params,
        { status: recorded.status, text: expected(recorded) },
      ]);
    }
    const served = new Set(publicRegistry(fakeServices()).methods.map(({ name }) => name));
    for (const recorded of cases.filter(({ error, method }) => error !== undefined && served.has(method))) {
      expect(ask(withHeight(TIP), `node_${recorded.method}`, recorded.params).text).toBe(expected(recorded));
    }
  });
});

function leafWitness(result: unknown): Parameters<typeof fakeWorld>[1] {
  if (result === undefined) return {};
  const { index, leafPreimage, siblingPath } = result as {
    index: string;
    leafPreimage: { leaf: Record<"nullifier" | "slot" | "value", string>; nextKey: string; nextIndex: string };
    siblingPath: string;
  };
  const { leaf, nextKey, nextIndex } = leafPreimage;
  const stored = {
    index: Number(index),
    key: fromHex(leaf.nullifier ?? leaf.slot),
    value: fromHex(leaf.value ?? ""),
    nextKey: fromHex(nextKey),
    nextIndex: Number(nextIndex),
  };
  return {
    leaf: () => stored,
    lowLeaf: () => ({ leaf: stored, present: false }),
    siblingPath: () => Buffer.from(siblingPath, "base64").subarray(4),
  };
}

function pathWitness(result: unknown): Partial<WorldStateReader> {
  if (result === undefined) return {};
  if (typeof result === "string") {
    const witness = Buffer.from(result, "base64");
    return { findLeaf: () => readUint(witness, 26, 6), siblingPath: () => witness.subarray(32) };
  }
  const [index, path] = result as [string, string];
  return { findLeaf: () => Number(index), siblingPath: () => Buffer.from(path, "base64").subarray(4) };
}
