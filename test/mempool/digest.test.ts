import { expect, test, vi } from "vitest";
import type { HashInput } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { AnchorHashes } from "../../src/mempool/digest/anchor-hashes.ts";
import { DigestCache, DigestPool } from "../../src/mempool/digest/digest-pool.ts";
import { digestParts } from "../../src/mempool/digest/digest-tx.ts";
import {
  type DigestedTx,
  type DigestPart,
  type DigestParts,
  DigestQueueFullError,
  type TxDigest,
} from "../../src/mempool/digest/tx-digest.ts";
import { BLOCK_HEADER_BYTES, BLOCK_HEADER_FIELDS } from "../../src/protocol/block-header.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { SEPARATOR } from "../../src/protocol/constants.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import { digestTx } from "../world/mempool/v4-digests.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";

const { contracts } = V4;

const core = loadCore();
const txs = recordedTxs().map(({ tx }) => tx);
const BOTH: readonly DigestPart[] = ["hash", "content"];
const anchorHeaderOf = (data: Uint8Array) =>
  data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.anchorHeader + BLOCK_HEADER_BYTES);
const inParts = ({ hash, ...content }: TxDigest): DigestParts => ({ hash, content });
const digest = inParts(digestTx(core, txs[0]));

/** Records which parts are computed for a cache. */
function counted(cache: DigestCache) {
  const made: DigestPart[][] = [];
  const make = async (missing: readonly DigestPart[]) => {
    made.push([...missing]);
    return digest;
  };
  const get = (tx: DigestedTx, parts = BOTH) => cache.get(tx, parts, make);
  return { made: () => made.length, parts: () => made, get };
}

test("digests computed together, in whole or in part, are those computed alone", () => {
  for (const build of ["lanes", "integer-lanes", "scalar"] as const) {
    const own = loadCore({ build });
    const some = txs.slice(0, 6);
    const parts = (i: number): readonly DigestPart[] => [BOTH, ["hash"] as const, ["content"] as const][i % 3];
    const made = digestParts(
      { core: own, contracts },
      some.map((tx, i) => ({ tx, parts: parts(i) })),
    );
    for (const [i, tx] of some.entries()) {
      const whole = inParts(digestTx(core, tx));
      for (const part of BOTH) expect(made[i][part]).toEqual(parts(i).includes(part) ? whole[part] : undefined);
    }
  }
});

test("the content part of a tx without calls and logs hashes only the block header", () => {
  const lengths: number[] = [];
  const counting: typeof core = Object.create(core, {
    hashEach: {
      value: (inputs: readonly HashInput[]) => {
        lengths.push(...inputs.map(({ fields }) => fields.length / 32));
        return core.hashEach(inputs);
      },
    },
  });
  const of = txs.find(
    ({ contractClassLogFields, publicFunctionCalldata }) =>
      contractClassLogFields.length + publicFunctionCalldata.length === 0,
  );
  if (of === undefined) throw new Error("every recorded tx has calls or logs");
  digestParts({ core: counting, contracts }, [{ tx: of, parts: ["content"] }]);
  expect(lengths).toEqual([BLOCK_HEADER_FIELDS]);
});

test("the header of a block that many txs are anchored to is hashed once", () => {
  const own = loadCore();
  const hashEach = vi.spyOn(own, "hashEach");
  const anchors = new AnchorHashes();
  const [first, ...others] = txs;
  const otherAnchor = structuredClone(first);
  otherAnchor.data[TX_DATA_AT.anchorHeader] ^= 1;
  for (const tx of [first, first, ...others, otherAnchor, ...txs]) {
    const [{ content }] = digestParts({ core: own, contracts, anchors }, [{ tx, parts: ["content"] }]);
    expect(content).toEqual(inParts(digestTx(core, tx)).content);
  }
  const headers = new Set([...txs, otherAnchor].map(({ data }) => toHex(anchorHeaderOf(data))));
  const inputs = hashEach.mock.calls.flatMap(([each]) => each);
  expect(inputs.filter(({ separator }) => separator === SEPARATOR.BLOCK_HEADER_HASH)).toHaveLength(headers.size);
});

test("the digest of a tx is computed once for the same bytes, whatever its proof, also on concurrent requests", async () => {
  const { get, made } = counted(new DigestCache());
  const again = structuredClone(txs[0]);
  again.chonkProof = new Uint8Array();
  await Promise.all([get(txs[0]), get(again)]);
  await get(again);
  expect(made()).toBe(1);
});

test("txs that differ in any hashed byte, or in where a part ends, have different digests", async () => {
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

test("the parts of a digest are computed separately, each once", async () => {
  const { get, parts } = counted(new DigestCache());
  const [tx] = txs;
  expect(await get(tx, ["content"])).toEqual({ content: digest.content });
  expect(await get(tx)).toEqual(digest);
  expect(await Promise.all([get(tx, ["hash"]), get(tx, ["content"])])).toEqual([
    { hash: digest.hash },
    { content: digest.content },
  ]);
  expect(parts()).toEqual([["content"], ["hash"]]);
});

test("a request for one part of a digest does not wait for another part", async () => {
  const cache = new DigestCache();
  const never = new Promise<DigestParts>(() => undefined);
  void cache.get(txs[0], ["hash"], () => never);
  expect(await cache.get(txs[0], ["content"], async () => digest)).toEqual({ content: digest.content });
});

test("a digest cache keeps a limited number of digests, those used last", async () => {
  const { get, made } = counted(new DigestCache({ max: 2 }));
  const [a, b, c] = txs;
  for (const tx of [a, b, a, c, a]) await get(tx);
  expect(made()).toBe(3);
  await get(b);
  expect(made()).toBe(4);
});

test("a digest whose computation failed is computed again", async () => {
  const cache = new DigestCache();
  const busy = new Error("busy");
  await expect(cache.get(txs[0], BOTH, () => Promise.reject(busy))).rejects.toBe(busy);
  expect(await cache.get(txs[0], BOTH, async () => digest)).toEqual(digest);
});

test("digest threads that take two txs at a time give each tx its own digest", async () => {
  const pool = new DigestPool({ generation: V4, threads: 1 });
  try {
    const some = txs.slice(0, 7);
    const digests = some.map((tx) => digestTx(core, tx));
    const [wholes, hashes] = [some.map((tx) => pool.whole(tx)), txs.slice(7, 9).map((tx) => pool.hash(tx))];
    expect(await Promise.all(wholes)).toEqual(digests);
    expect(await Promise.all(hashes)).toEqual(txs.slice(7, 9).map((tx) => digestTx(core, tx).hash));
    expect(await Promise.all(some.map((tx) => pool.content(tx)))).toEqual(
      digests.map(({ hash: _, ...content }) => content),
    );
  } finally {
    await pool.close();
  }
});

test("digest threads that are released go on with what they have, and start again with the next tx", async () => {
  const pool = new DigestPool({ generation: V4, threads: 1 });
  try {
    for (const tx of txs.slice(0, 2)) {
      const made = pool.whole(tx);
      pool.release();
      expect(await made).toEqual(digestTx(core, tx));
      pool.release();
    }
  } finally {
    await pool.close();
  }
});

test("gossiped txs wait until no client waits for a digest, and their queue does not fill the clients'", async () => {
  const pool = new DigestPool({ generation: V4, threads: 1, maxWaiting: 4 });
  const order: string[] = [];
  const done = (name: string, digest: Promise<unknown>) => digest.then(() => order.push(name));
  try {
    const started = done("first", pool.forPeers.whole(txs[0]));
    const gossiped = txs.slice(1, 5).map((tx) => done("peer", pool.forPeers.whole(tx)));
    await expect(pool.forPeers.whole(txs[5])).rejects.toBeInstanceOf(DigestQueueFullError);
    const own = txs.slice(6, 10).map((tx) => done("client", pool.whole(tx)));
    await expect(pool.whole(txs[10])).rejects.toBeInstanceOf(DigestQueueFullError);
    await Promise.all([started, ...gossiped, ...own]);
    expect(order).toEqual(["first", ...own.map(() => "client"), ...gossiped.map(() => "peer")]);
  } finally {
    await pool.close();
  }
});

test("gossiped txs are hashed in pairs where they can be, and a single one is not kept waiting", async () => {
  const pool = new DigestPool({ generation: V4, threads: 2 });
  try {
    const some = txs.slice(0, 4);
    const made = some.map((tx) => pool.forPeers.whole(tx));
    expect(await Promise.all(made)).toEqual(some.map((tx) => digestTx(core, tx)));
    expect(await pool.forPeers.whole(txs[4])).toEqual(digestTx(core, txs[4]));
  } finally {
    await pool.close();
  }
});

test("a gossiped tx that waits for another one to be hashed with is hashed at once when a duty needs it", async () => {
  // The clock stands still, so that only a partner or a duty ends the wait.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const pool = new DigestPool({ generation: V4, threads: 1 });
  try {
    const some = txs.slice(0, 16);
    const ended: number[] = [];
    const made = some.map((tx, i) => pool.forPeers.whole(tx).then(() => ended.push(i)));
    // The first one starts alone, pairs follow, and the last one waits.
    await Promise.all(made.slice(0, 15));
    expect(ended).toHaveLength(15);
    pool.hurry();
    await made[15];
  } finally {
    vi.useRealTimers();
    await pool.close();
  }
});
