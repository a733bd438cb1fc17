import { expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { DigestCache } from "../../src/mempool/digest/digest-cache.ts";
import { DigestPool } from "../../src/mempool/digest/digest-pool.ts";
import { digestTx, digestTxs } from "../../src/mempool/digest/digest-tx.ts";
import type { DigestedTx, TxDigest } from "../../src/mempool/digest/tx-digest.ts";
import { recordedTxs } from "../protocol/recorded-txs.ts";

const core = loadCore();
const txs = recordedTxs().map(({ tx }) => tx);
const digest = digestTx(core, txs[0]);

/** Counts what a cache has made for it. */
function counted(cache: DigestCache): { made: () => number; get(tx: DigestedTx): Promise<TxDigest> } {
  let made = 0;
  const make = async () => {
    made++;
    return digest;
  };
  return { made: () => made, get: (tx) => cache.get(tx, make) };
}

test("digests made together are those made alone", () => {
  for (const build of ["lanes", "integer-lanes", "scalar"] as const) {
    const own = loadCore({ build });
    const some = txs.slice(0, 5);
    expect(digestTxs(own, some)).toEqual(some.map((tx) => digestTx(core, tx)));
  }
});

test("a digest is made once for the same bytes, whatever the proof, also when asked for at the same time", async () => {
  const { get, made } = counted(new DigestCache());
  const again = structuredClone(txs[0]);
  again.chonkProof = new Uint8Array();
  await Promise.all([get(txs[0]), get(again)]);
  await get(again);
  expect(made()).toBe(1);
});

test("bytes that differ anywhere in what is hashed, or in where a part ends, are another tx", async () => {
  const { get, made } = counted(new DigestCache());
  const call = (values: number[], hash: number[]) => ({ values: Uint8Array.from(values), hash: Uint8Array.from(hash) });
  const data = Uint8Array.of(1, 2);
  const different: DigestedTx[] = [
    { data, contractClassLogFields: [], publicFunctionCalldata: [] },
    { data: Uint8Array.of(1, 3), contractClassLogFields: [], publicFunctionCalldata: [] },
    { data: data.subarray(0, 1), contractClassLogFields: [data.subarray(1)], publicFunctionCalldata: [] },
    { data: data.subarray(0, 1), contractClassLogFields: [], publicFunctionCalldata: [call([2], [])] },
    { data: data.subarray(0, 1), contractClassLogFields: [], publicFunctionCalldata: [call([], [2])] },
    { data: data.subarray(0, 0), contractClassLogFields: [], publicFunctionCalldata: [call([1], [2])] },
    { data: data.subarray(0, 0), contractClassLogFields: [], publicFunctionCalldata: [call([1, 2], [])] },
    { data: data.subarray(0, 0), contractClassLogFields: [data], publicFunctionCalldata: [] },
  ];
  for (const tx of different) await get(tx);
  expect(made()).toBe(different.length);
});

test("only so many digests are kept, those that were asked for last", async () => {
  const { get, made } = counted(new DigestCache({ most: 2 }));
  const [a, b, c] = txs;
  for (const tx of [a, b, a, c, a]) await get(tx);
  expect(made()).toBe(3);
  await get(b);
  expect(made()).toBe(4);
});

test("what could not be made is made again", async () => {
  const cache = new DigestCache();
  const busy = new Error("busy");
  await expect(cache.get(txs[0], () => Promise.reject(busy))).rejects.toBe(busy);
  expect(await cache.get(txs[0], async () => digest)).toBe(digest);
});

test("threads that take two at a time give each tx its own digest", async () => {
  const pool = new DigestPool({ threads: 1 });
  try {
    expect(await Promise.all(txs.slice(0, 7).map((tx) => pool.digest(tx)))).toEqual(
      txs.slice(0, 7).map((tx) => digestTx(core, tx)),
    );
  } finally {
    await pool.close();
  }
});
