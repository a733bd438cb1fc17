import { Worker } from "node:worker_threads";
import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { afterEach, beforeAll, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";

/** Blobs that are computed for without the library before it is loaded. */
const FEW = 15;
/** Loading the library takes seconds, and more on a busy machine. Each look costs the first thread a proof. */
const LOADED = { timeout: 60_000, interval: 100 };

let library: DasContextJs;
beforeAll(() => {
  library = DasContextJs.create({ usePrecomp: false });
});

let kzg: Kzg;
let started: MockInstance<Worker["unref"]>;
let posted: MockInstance<Worker["postMessage"]>;
beforeEach(() => {
  // A thread is unreferenced when it starts, and again after each answer.
  started = vi.spyOn(Worker.prototype, "unref");
  posted = vi.spyOn(Worker.prototype, "postMessage");
  kzg = new Kzg();
});
afterEach(async () => {
  await kzg.close();
  vi.restoreAllMocks();
});

const threads = () => [...new Set(started.mock.contexts as Worker[])];
const lastAsked = () => posted.mock.contexts.at(-1);
const ended = (worker: Worker) => worker.threadId === -1;

let word = 0;
/** A blob that there was not before. */
function freshBlob(words = 1): Uint8Array {
  const blob = new Uint8Array(131072);
  for (let i = 0; i < words; i++) blob.set(bigUintBytes(BigInt(++word), 32), i * 32);
  return blob;
}

async function expectProof(): Promise<void> {
  const blob = freshBlob();
  const { commitment, proofs } = await kzg.prove(blob, false);
  expect(library.verifyBlobKzgProof(blob, commitment, proofs[0])).toBe(true);
}

/** Checks a blob so many times that has so many words that the library is faster. */
async function expectChecked(count: number): Promise<void> {
  const blob = freshBlob(600);
  const [blobs, commitments] = [blob, library.blobToKzgCommitment(blob)].map((bytes) => Array(count).fill(bytes));
  expect(await kzg.verifyBlobs(blobs, commitments)).toEqual(blobs.map(() => true));
}

async function untilAnotherAnswers(first: Worker): Promise<void> {
  await vi.waitFor(async () => {
    await expectProof();
    expect(lastAsked()).not.toBe(first);
  }, LOADED);
}

test("once fifteen proofs were made without the library, another thread loads it and takes over", async () => {
  for (let i = 1; i < FEW; i++) await expectProof();
  expect(threads()).toHaveLength(1);
  await expectProof();
  const [first, second] = threads();
  await untilAnotherAnswers(first);
  expect(lastAsked()).toBe(second);
  await vi.waitFor(() => expect(ended(first)).toBe(true));
  await expectProof();
  expect(threads()).toEqual([first, second]);
});

test("a batch of checks counts for all its blobs, and proofs of cells come from the thread that loads the library at once", async () => {
  await expectChecked(FEW - 1);
  expect(threads()).toHaveLength(1);
  await expectChecked(1);
  const [first, second] = threads();
  const blob = freshBlob();
  const { proofs } = await kzg.prove(blob, true);
  expect(proofs.map(toHex)).toEqual(library.computeCellsAndKzgProofs(blob).proofs.map(toHex));
  expect(threads()).toEqual([first, second]);
  expect(lastAsked()).toBe(second);
  await expectProof();
  expect(lastAsked()).toBe(second);
});

test("closing ends the threads, also one that is loading the library", async () => {
  await expectChecked(FEW);
  expect(threads()).toHaveLength(2);
  await kzg.close();
  expect(threads().map(ended)).toEqual([true, true]);
});

test("when the thread that loads the library ends, the first one goes on and later another one loads it", async () => {
  await expectChecked(FEW);
  const [first, second] = threads();
  await second.terminate();
  await expectProof();
  expect(lastAsked()).toBe(first);
  await expectChecked(FEW);
  expect(threads()).toHaveLength(3);
  await untilAnotherAnswers(first);
  expect(lastAsked()).toBe(threads()[2]);
});

test("a request whose thread ends fails, and the next one has another thread", async () => {
  const asked = kzg.commitment(freshBlob(600));
  const [first] = threads();
  const [outcome] = await Promise.allSettled([asked, first.terminate()]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("stopped") } });
  await expectProof();
  expect(threads()).toHaveLength(2);
});
