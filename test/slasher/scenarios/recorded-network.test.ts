import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { createSentinel, type SentinelPart } from "../../../src/node/parts/sentinel.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { decodeBlockProposal } from "../../../src/protocol/consensus/block-proposal.ts";
import { decodeCheckpointAttestation } from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import { unwrapMessage } from "../../../src/protocol/consensus/gossip-wrapper.ts";
import type { Offense } from "../../../src/protocol/slashing/offense.ts";
import type { DutyStatus } from "../../../src/protocol/slashing/validator-statistics.ts";
import { epochOfSlot } from "../../../src/protocol/time.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { RpcAnswer } from "../../../src/rpc/jsonrpc/answer.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { SentinelStore } from "../../../src/slasher/sentinel/sentinel-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { committeeOf, pooled } from "../../world/p2p/consensus-support.ts";
import { recordedMessages, recordedNetwork } from "../../world/p2p/recorded.ts";
import { type RecordedNetworkChain, recordedNetworkChain } from "../../world/p2p/recorded-chain.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";

interface History {
  address: string;
  history: { slot: number; status: DutyStatus }[];
}
interface Stats {
  stats: Record<string, History>;
  lastProcessedSlot: number;
  initialSlot: number;
  slotWindow: number;
}
interface Answer {
  node: number;
  method: string;
  params: unknown[];
  result?: unknown;
  error?: object;
}

/** Answers of the network's nodes about their validators. */
const answers: Answer[] = gunzipSync(
  readFileSync(new URL("../../fixtures/p2p/validator-stats.jsonl.gz", import.meta.url)),
)
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const network = recordedNetwork();
const EPOCH = network.settings.AZTEC_EPOCH_DURATION;
const WINDOW = 96;
const MEMBERS = network.validators.map(({ address }) => fromHex(address));

/** The recorded network has one committee order for each epoch from 45 on; all validators are in each committee. */
async function committeeAt(slot: number) {
  const epoch = network.epochs[epochOfSlot(slot, { epochDuration: EPOCH })];
  const members = epoch === undefined ? MEMBERS : (epoch.committee ?? []).map(fromHex);
  const proposer = network.proposers[slot];
  const committee = await committeeOf(members, proposer ? fromHex(proposer) : undefined)(slot);
  return { ...committee, proposer: members.length === 0 ? undefined : committee.proposer };
}

const statsOf = (node: number) =>
  answers.find((one) => one.node === node && one.method === "node_getValidatorsStats")?.result as Stats;

let chain: RecordedNetworkChain;
beforeAll(async () => {
  chain = await recordedNetworkChain(loadCore());
});
afterAll(() => chain.remove());

let opened: ReturnType<typeof pooled>;
let slot: number;
let proven: ((event: { blockNumber: number; slot: number; epoch: number }) => void) | undefined;
let offenses: Offense[];
let part: SentinelPart;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  opened = pooled();
  offenses = [];
  const { constants } = chain.identity;
  const now = () => (constants.l1GenesisTime + slot * constants.slotDuration) * 1000;
  const created = createSentinel(
    {
      chain: chain.chain,
      reader: { identity: { constants } },
      clock: { now, shift() {} } as unknown as Parameters<typeof createSentinel>[0]["clock"],
      loggerFor: () => silentLogger as ReturnType<Parameters<typeof createSentinel>[0]["loggerFor"]>,
      metrics: new Metrics(() => {}),
      synchronizer: {
        on: (_, listener) => {
          proven = listener as typeof proven;
          return () => {};
        },
      },
    },
    {
      ownValidators: () => [],
      values: {
        enabled: true,
        historyEpochs: WINDOW / EPOCH,
        performanceEpochs: 2000,
        targetPercentage: 0.9,
        consecutiveEpochs: 1,
        penalty: 10n ** 19n,
      },
      mempool: { store: opened.store },
      p2p: { attestations: opened.pool, committees: { at: committeeAt } },
      report: (found) => void offenses.push(...found),
    },
  );
  if (created === undefined) throw new Error("the sentinel is enabled");
  part = created;
});
afterEach(async () => {
  await part.stop();
  vi.useRealTimers();
  await opened.close();
});

/** One tick in each slot, up to the one after which `last` is processed. */
async function follow(last: number): Promise<void> {
  while (slot < last + 2) {
    slot++;
    await vi.advanceTimersByTimeAsync(1_000);
  }
}

function ask(namespace: string, { method, params }: Pick<Answer, "method" | "params">): Promise<RpcAnswer> | RpcAnswer {
  const registry = publicRegistry(fakeServices({ validatorStats: part.answers }));
  const dispatcher = new Dispatcher(registry, { maxBatchSize: 100, namespaces: ["node", "svc"] }, recordingLogger());
  return dispatcher.answer({
    jsonrpc: "2.0",
    id: 1,
    method: method.replace("node_", `${namespace}_`),
    params,
  }) as RpcAnswer | Promise<RpcAnswer>;
}

describe("the recorded network with a committee", () => {
  test.each([1, 2, 3, 4])("node %i's history gives exactly its recorded answers, byte by byte", async (node) => {
    const recorded = statsOf(node);
    // Another sentinel's store over the same rows takes over what the recorded node had seen.
    const store = new SentinelStore(opened.store, { slots: WINDOW, epochs: 2000 });
    for (const { address, history } of Object.values(recorded.stats)) {
      for (const one of history) store.recordSlot(one.slot, [{ validator: fromHex(address), status: one.status }]);
    }
    slot = recorded.lastProcessedSlot;
    await provenEpochs();
    await restart(recorded);
    for (const question of answers.filter((one) => one.node === node)) {
      const { body } = await ask("node", question);
      const { result, error } = question;
      expect(Buffer.from(body).toString()).toBe(
        JSON.stringify({ jsonrpc: "2.0", id: 1, ...(error === undefined ? { result: result ?? null } : { error }) }),
      );
    }
    if (node === 1) {
      // Validator 4 was away for two epochs.
      expect(offenses).toEqual(
        [47n, 48n].map((epochOrSlot) => ({
          validator: fromHex("0x424c2848a70dbd5e074c3a2ad33fcc5865aca7f2"),
          amount: 10n ** 19n,
          offenseType: 3,
          epochOrSlot,
        })),
      );
    }
  });

  test("svc_ answers the same as node_, without a result for an unknown validator as null", async () => {
    slot = 240;
    part.start();
    const question = { method: "node_getValidatorsStats", params: [] };
    const texts = await Promise.all(["node", "svc"].map(async (name) => Buffer.from((await ask(name, question)).body)));
    expect(texts.map(String)).toEqual(
      Array(2).fill('{"jsonrpc":"2.0","id":1,"result":{"stats":{},"initialSlot":240,"slotWindow":96}}'),
    );
    const unknown = { method: "node_getValidatorStats", params: [`0x${"11".repeat(20)}`] };
    expect(String(Buffer.from((await ask("svc", unknown)).body))).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
  });

  test("the chain and the gossip give the recorded statuses", async () => {
    const gossiped = new Set<number>();
    for (const { topic, wrapped, decoded } of recordedMessages()) {
      const payload = () => unwrapMessage(wrapped);
      if (topic === "block_proposal") opened.pool.addBlockProposal(decodeBlockProposal(payload(), V4_ROLLUP));
      else if (topic === "checkpoint_attestation") {
        opened.pool.addAttestation(decodeCheckpointAttestation(payload(), V4_ROLLUP), fromHex(decoded.attester));
      } else continue;
      gossiped.add(decoded.slot);
    }
    expect([...gossiped].toSorted()).toEqual([181, 183, 185, 200, 225, 238]);
    const { stats, lastProcessedSlot } = statsOf(3);
    slot = statsOf(3).initialSlot;
    part.start();
    // The recorded committees begin with slot 180.
    slot = 181;
    await follow(lastProcessedSlot);
    const ours = await part.answers.all();
    expect(ours.lastProcessedSlot).toBe(lastProcessedSlot);

    const statuses = (histories: History["history"][]) =>
      histories.flatMap((history, validator) => history.map((one) => ({ ...one, validator })));
    const found = statuses(ours.stats.map(({ history }) => history));
    const recorded = statuses(Object.values(stats).map(({ history }) => history)).filter((one) => one.slot >= 180);
    const of = (all: typeof found, at: number) => all.filter((one) => one.slot === at);
    for (const at of gossiped) expect(of(found, at)).toEqual(of(recorded, at));

    // Without gossip only mined checkpoints and published signatures are known.
    const known = /^(checkpoint-mined|attestation-sent)$/;
    for (const one of found.filter(({ status }) => known.test(status))) expect(recorded).toContainEqual(one);
    const mined = (all: typeof found) =>
      all.filter(({ status }) => status === "checkpoint-mined").map((one) => one.slot);
    expect(mined(found).toSorted()).toEqual(mined(recorded).toSorted());
    expect(mined(found).length).toBeGreaterThan(40);
    // The last two epochs have no committee.
    expect(found.every((one) => one.slot < 240)).toBe(true);
  });
});

/** The recorded proofs, epoch by epoch. */
async function provenEpochs(): Promise<void> {
  part.start();
  for (let epoch = 38; epoch <= 57; epoch++) {
    proven?.({ blockNumber: 0, slot: 0, epoch });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await part.stop();
}

/** Starts again where the recorded node did, and processes the last slots, which have no committee. */
async function restart({ initialSlot, lastProcessedSlot }: Stats): Promise<void> {
  slot = initialSlot;
  part.start();
  slot = lastProcessedSlot + 2;
  await vi.advanceTimersByTimeAsync(1_000);
}
