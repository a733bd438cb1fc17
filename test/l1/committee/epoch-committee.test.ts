import { encodeFunctionResult, type Hex, toFunctionSelector } from "viem";
import { afterEach, expect, test } from "vitest";
import { escapeHatchAbi } from "../../../src/l1/abi/escape-hatch.ts";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import { EpochCommittees } from "../../../src/l1/committee/epoch-committee.ts";
import { EpochNotStableError } from "../../../src/l1/errors.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type HttpFake, RpcFailure, rpcFake } from "../../world/l1/http-fake.ts";

const ROLLUP = `0x${"aa".repeat(20)}` as Hex;
const HATCH = `0x${"bb".repeat(20)}` as Hex;
const MEMBERS = [`0x${"01".repeat(20)}`, `0x${"02".repeat(20)}`] as Hex[];
const SELECTOR = {
  committee: "0x1cfe2878",
  seed: "0x7afeed28",
  isHatchOpen: "0x3a30aefe",
  escapeHatch: toFunctionSelector("function getEscapeHatch()"),
  randaoLag: toFunctionSelector("function getLagInEpochsForRandao()"),
};

const open: HttpFake[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

/** Committees of a rollup with lags 2 and 1, epochs of 4 slots of 72 s from time 1000. */
async function committees(answers: {
  committee?: () => Hex[];
  seed?: () => bigint;
  hatch?: Hex;
  isOpen?: () => boolean;
  targetCommitteeSize?: number;
}) {
  const rollup = (functionName: string, result: unknown) =>
    encodeFunctionResult({ abi: rollupAbi, functionName, result } as never) as Hex;
  const asked: string[] = [];
  const fake = await rpcFake((_, params) => {
    const { data } = params[0] as { data: string };
    asked.push(data);
    if (data.startsWith(SELECTOR.committee)) return rollup("getCommitteeAt", answers.committee?.() ?? MEMBERS);
    if (data.startsWith(SELECTOR.seed)) return rollup("getSampleSeedAt", answers.seed?.() ?? 77n);
    if (data === SELECTOR.randaoLag) return rollup("getLagInEpochsForRandao", 1n);
    if (data.startsWith(SELECTOR.isHatchOpen)) {
      const result = [answers.isOpen?.() ?? false, ROLLUP] as const;
      return encodeFunctionResult({ abi: escapeHatchAbi, functionName: "isHatchOpen", result });
    }
    return data === SELECTOR.escapeHatch
      ? rollup("getEscapeHatch", answers.hatch ?? `0x${"00".repeat(20)}`)
      : rollup("getLagInEpochsForValidatorSet", 2n);
  });
  open.push(fake);
  const rpc = new L1Rpc({ urls: [fake.url], retryDelaysMs: [], logger: silentLogger });
  const identity = {
    addresses: { rollupAddress: ROLLUP },
    constants: {
      l1GenesisTime: 1000,
      slotDuration: 72,
      epochDuration: 4,
      targetCommitteeSize: answers.targetCommitteeSize ?? 2,
    },
  } as RollupIdentity;
  const epochs = new EpochCommittees(rpc, identity, silentLogger);
  const get = (epoch: number, latest = 1_000_000) => epochs.get(epoch, async () => latest);
  const fresh = (epoch: number) => epochs.get(epoch, async () => 1_000_000, true);
  return { get, fresh, asked };
}

test("the committee of an epoch is read at the epoch's first second and cached", async () => {
  const { get, asked } = await committees({});
  const epoch = await get(3);
  expect({ ...epoch, committee: epoch.committee?.map(toHex) }).toEqual({
    epoch: 3,
    committee: MEMBERS,
    seed: 77n,
    escapeHatchOpen: false,
    settled: true,
  });
  const at = (1000 + 3 * 4 * 72).toString(16).padStart(64, "0");
  expect(asked.filter((data) => data.endsWith(at))).toHaveLength(2);
  const before = asked.length;
  expect(await get(3)).toBe(epoch);
  expect(asked).toHaveLength(before);
});

test("the committee of an epoch is read again with each L1 block until the epoch has begun on L1", async () => {
  const start = 1000 + 3 * 4 * 72;
  let seed = 77n;
  const { get, asked } = await committees({ seed: () => seed });
  expect(await get(3, start - 24)).toMatchObject({ seed: 77n, settled: false });
  const before = asked.length;
  expect(await get(3, start - 24)).toMatchObject({ seed: 77n, settled: false });
  expect(asked).toHaveLength(before);
  // The first checkpoint of epoch 2 came in its last block.
  seed = 78n;
  expect(await get(3, start - 12)).toMatchObject({ seed: 78n, settled: false });
  expect(await get(3, start)).toMatchObject({ seed: 78n, settled: true });
  seed = 79n;
  expect(await get(3, start + 12)).toMatchObject({ seed: 78n, settled: true });
});

test("the committee of an epoch is read again if a fresh one is wanted, and that one is cached", async () => {
  let members = MEMBERS;
  const { get, fresh } = await committees({ committee: () => members });
  await get(3);
  members = MEMBERS.toReversed();
  expect((await get(3)).committee?.map(toHex)).toEqual(MEMBERS);
  expect((await fresh(3)).committee?.map(toHex)).toEqual(members);
  expect((await get(3)).committee?.map(toHex)).toEqual(members);
});

test("the committee of an epoch is undefined while there are too few validators, and is not cached", async () => {
  let few = true;
  const { get } = await committees({
    committee: () => {
      if (few) throw new RpcFailure(3, "execution reverted", `0xf4f28e99${"00".repeat(63)}02`);
      return MEMBERS;
    },
  });
  expect(await get(3)).toMatchObject({ committee: undefined, seed: 77n });
  few = false;
  expect((await get(3)).committee).toHaveLength(2);
});

test("the committee of an epoch is undefined without a call on a network without committees", async () => {
  const { get, asked } = await committees({ targetCommitteeSize: 0 });
  expect(await get(3)).toMatchObject({ committee: undefined, escapeHatchOpen: false });
  expect(asked).toEqual([]);
});

test("the committee of an epoch is refused before its validators are sampled", async () => {
  const { get } = await committees({});
  const sampled = 1000 + (5 - 2) * 4 * 72;
  await expect(get(5, sampled - 1)).rejects.toThrow(EpochNotStableError);
  expect((await get(5, sampled)).committee).toHaveLength(2);
});

test("the committee of an epoch has an open escape hatch only if the hatch says so", async () => {
  const opened = await committees({ hatch: HATCH, isOpen: () => true });
  expect(await opened.get(3)).toMatchObject({ escapeHatchOpen: true });
  const failing = await committees({
    hatch: HATCH,
    isOpen: () => {
      throw new RpcFailure(3, "execution reverted", "0x");
    },
  });
  expect(await failing.get(3)).toMatchObject({ escapeHatchOpen: false });
});

test("a revert for any other reason does not make the committee of an epoch undefined", async () => {
  const { get } = await committees({
    committee: () => {
      throw new RpcFailure(3, "execution reverted", "0x12345678");
    },
  });
  await expect(get(3)).rejects.toMatchObject({ name: "ContractRevertError", errorName: undefined });
});
