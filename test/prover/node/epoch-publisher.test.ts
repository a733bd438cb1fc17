import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { submissionCalldata } from "../../../src/l1/prove/epoch-submission.ts";
import { ProofReader } from "../../../src/l1/prove/proof-reader.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { L1Sender } from "../../../src/l1/tx/l1-sender.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { MemoryTxStates } from "../../../src/l1/tx/memory-tx-states.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { EpochPublisher, type ProvenEpoch } from "../../../src/prover/node/epoch-publisher.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import {
  PROVER_KEY,
  type RecordedSubmission,
  recordedSubmissions,
  startThreeEpochs,
  type ThreeEpochs,
} from "../../world/prover/three-epochs.ts";

const recorded = recordedSubmissions();
const ofEpoch = (epoch: number) => recorded.find((each) => each.epoch === epoch) as RecordedSubmission;

describe("calldata of a submission", () => {
  test.each(recorded.map((each) => [each.epoch, each] as const))(
    "of epoch %i is byte by byte the recorded one",
    (_epoch, { submission, calldata }) => {
      expect(toHex(submissionCalldata(V4, submission))).toBe(calldata);
    },
  );
});

describe("an L1 with three unproven epochs", () => {
  const stopping = new AbortController();
  let l1: ThreeEpochs;
  let reader: ConnectedRollup;
  let publisher: EpochPublisher;

  beforeAll(async () => {
    l1 = await startThreeEpochs();
    const { registryAddress } = l1;
    reader = await connectRollup({
      l1RpcUrls: [l1.url],
      l1ChainId: 31337,
      registryAddress,
      ethereumSlotDuration: 4,
      requireTraces: false,
    });
    const { identity } = reader;
    // Anvil takes long to simulate a verifier on a busy machine.
    const rpc = new L1Rpc({ urls: [l1.url], timeoutMs: 120_000, signal: stopping.signal, logger: silentLogger });
    const sender = new L1Sender({
      rpc,
      signer: new LocalSigner(PROVER_KEY),
      chainId: 31337,
      settings: {
        gasLimitBufferPercentage: 20,
        maxGwei: 500,
        maxBlobGwei: 1500,
        priorityFeeBumpPercentage: 20,
        priorityFeeRetryBumpPercentage: 50,
        minimumPriorityFeeGwei: 0,
        maxSpeedUpAttempts: 3,
        checkIntervalMs: 20,
        stallTimeMs: 60_000,
        timeoutMs: 300_000,
        cancelOnTimeout: true,
        cancellationFinalTimeoutMs: 300_000,
        unseenConsideredDroppedMs: 60_000,
      },
      states: new MemoryTxStates(),
      cellProofs: true,
      now: () => l1.timestamp * 1000,
      signal: stopping.signal,
      logger: silentLogger,
    });
    publisher = new EpochPublisher({
      rpc,
      reader,
      proofs: new ProofReader(rpc, identity, V4),
      identity,
      generation: V4,
      senders: [sender],
      allowBusy: true,
      signal: stopping.signal,
      logger: silentLogger,
    });
  });

  afterAll(async () => {
    stopping.abort();
    await l1?.stop();
  });

  const proven = (epoch: number, change: Partial<RecordedSubmission["submission"]> = {}): ProvenEpoch => {
    const { submission, publicInputs } = ofEpoch(epoch);
    const deadline = (l1.timestamp + 3600) * 1000;
    return { epoch, submission: { ...submission, ...change }, publicInputs, deadline };
  };

  test("refuses a proof whose fees L1 would count otherwise, and names them", async () => {
    const { fees } = ofEpoch(23).submission;
    const outcome = await publisher.publish(proven(23, { fees: fees.with(1, fees[3]) }));
    expect(outcome).toMatchObject({ kind: "wrong", reason: expect.stringContaining("public input 36 (fees)") });
  });

  test("is not asked to take a proof of another chain", async () => {
    const outcome = await publisher.publish(proven(23, { endArchive: new Uint8Array(32) }));
    expect(outcome).toMatchObject({ kind: "stale", reason: expect.stringContaining("after checkpoint 56") });
  });

  test("is not asked to take an epoch whose predecessor is not proven", async () => {
    const outcome = await publisher.publish(proven(25));
    expect(outcome).toMatchObject({
      kind: "wrong",
      reason: expect.stringContaining("Rollup__StartIsNotBuildingOnProven"),
    });
  });

  test("accepts the recorded proof of epoch 23, once", async () => {
    expect(await publisher.publish(proven(23))).toMatchObject({ kind: "submitted" });
    const { number } = await reader.latestBlock();
    expect(await reader.provenCheckpointNumber(number)).toBe(56);
    expect(await publisher.publish(proven(23))).toEqual({ kind: "already submitted" });
  });

  test("is not asked to take a proof after a longer one", async () => {
    const outcome = await publisher.publish(proven(11, { proverId: new Uint8Array(20).fill(7) }));
    expect(outcome).toMatchObject({ kind: "already proven", reason: expect.stringContaining("56") });
  });
});
