import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { L1ConfigurationError } from "../../../src/l1/errors.ts";
import { JsonRpcFeeReader } from "../../../src/l1/fees/fee-reader.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import type { ConnectedRollup, L1Block } from "../../../src/l1/types.ts";
import { slotAt, slotTimestamp } from "../../../src/protocol/time.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";

let chain: ChainA;
let rollup: ConnectedRollup;
let rpc: L1Rpc;
const connect = (fields: object = {}) =>
  connectRollup({
    l1RpcUrls: [chain.url],
    l1ChainId: 31337,
    registryAddress: CHAIN_A_REGISTRY,
    ethereumSlotDuration: 12,
    ...fields,
  });
const post = async (method: string, params: unknown[] = []) => {
  const response = await fetch(chain.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result: string }).result;
};

beforeAll(async () => {
  chain = await startChainA();
  rollup = await connect();
  rpc = new L1Rpc({ urls: [chain.url], retryDelaysMs: [], logger: silentLogger });
});
afterAll(() => chain?.stop());
afterEach(() => {
  calls.splice(0);
  times.splice(0);
});

/** Calls to L1. */
const calls: string[] = [];
/** Timestamps of the requests for L1 fees. */
const times: number[] = [];
let broken = false;
/** Answers for the pending checkpoint that are still to come from the state after the block that is asked for. */
let ahead = 0;
const counted = (): L1Rpc =>
  new Proxy(rpc, {
    get: (target, name) =>
      name !== "request"
        ? Reflect.get(target, name, target)
        : (call: Parameters<L1Rpc["request"]>[0]) => {
            calls.push(call.about ?? call.method);
            const [{ data = "" } = {}] = call.params as { data?: string }[];
            if (call.about === "Rollup.getL1FeesAt") times.push(Number(`0x${data.slice(10)}`));
            if (broken) return Promise.reject(new Error("no L1"));
            const answer = target.request(call);
            if (call.about !== "Rollup.getPendingCheckpointNumber" || ahead === 0) return answer;
            ahead--;
            return answer.then((word) => `0x${(BigInt(word as string) + 1n).toString(16).padStart(64, "0")}`);
          },
  });
const reader = (now?: () => number) => {
  let blocks = 0;
  const latestBlock = (): Promise<L1Block> => {
    blocks++;
    return rollup.latestBlock();
  };
  const fees = new JsonRpcFeeReader({ rpc: counted(), identity: rollup.identity, latestBlock, now });
  return { fees, asked: () => blocks };
};

test("the current min fees are those that the network's node answered", async () => {
  expect(await rollup.fees.currentMinFees()).toEqual({ feePerDaGas: 0n, feePerL2Gas: 10_200_000n });
});

test("min fees whose reads reverted, since the state changed between them, are read again", async () => {
  const { fees, asked } = reader();
  ahead = 1;
  expect(await fees.currentMinFees()).toEqual({ feePerDaGas: 0n, feePerL2Gas: 10_200_000n });
  expect(asked()).toBe(2);
  ahead = 3;
  await expect(reader().fees.currentMinFees()).rejects.toThrow(/Rollup__UnavailableTempCheckpointLog/);
  expect(ahead).toBe(0);
});

test("min fees are predicted for the current slot and two more", async () => {
  const { timestamp } = await rollup.latestBlock();
  const { fees } = reader(() => timestamp);
  for (const usage of ["none", "target", "limit"] as const) {
    const predicted = await fees.predictedMinFees(usage);
    expect(predicted).toHaveLength(3);
    expect(predicted[0]).toEqual(await fees.currentMinFees());
    expect(predicted[1]).toEqual(predicted[0]);
    // Sequencer 1 and prover 101 wei as before, for a fee asset that lost 1%; after a full checkpoint 12 wei of
    // congestion.
    const second = usage === "limit" ? 101_011n + 10_202_021n + 1_212_122n : 101_011n + 10_202_021n;
    expect(predicted[2]).toEqual({ feePerDaGas: 0n, feePerL2Gas: second });
  }
});

test("min fees are predicted from the local clock's slot when L1 stands still", async () => {
  const { constants } = rollup.identity;
  const last = slotAt((await rollup.latestBlock()).timestamp, constants);
  /** Slots of the requests for L1 fees when the local clock stands at the start of a slot. */
  const asked = async (slot: number) => {
    await reader(() => slotTimestamp(slot, constants)).fees.predictedMinFees("target");
    return times.splice(0).map((time) => slotAt(time, constants));
  };
  expect(await asked(last + 50)).toEqual([last + 50, last + 51]);
  expect(await asked(0)).toEqual([last, last + 1]);
});

test("min fees are read once per L1 block, whatever the number of concurrent requests", async () => {
  const { fees, asked } = reader();
  await Promise.all([fees.currentMinFees(), fees.currentMinFees(), fees.predictedMinFees("none")]);
  await fees.predictedMinFees("limit");
  await fees.currentMinFees();
  expect(calls.filter((call) => call === "Rollup.getManaMinFeeAt")).toHaveLength(1);
  expect(calls.filter((call) => call === "Rollup.getTips")).toHaveLength(1);
  expect(asked()).toBe(3);
  await post("evm_mine");
  await Promise.all([fees.currentMinFees(), fees.predictedMinFees("target")]);
  expect(calls.filter((call) => call === "Rollup.getManaMinFeeAt")).toHaveLength(2);
});

test("min fees are read again after a failure", async () => {
  const { fees } = reader();
  broken = true;
  await expect(fees.currentMinFees()).rejects.toThrow("no L1");
  await expect(fees.predictedMinFees("target")).rejects.toThrow("no L1");
  broken = false;
  expect((await fees.currentMinFees()).feePerDaGas).toBe(0n);
  expect(await fees.predictedMinFees("target")).toHaveLength(3);
});

test("a caller cannot change the cached min fees", async () => {
  const { fees } = reader();
  const first = await fees.currentMinFees();
  first.feePerL2Gas = 0n;
  expect((await fees.currentMinFees()).feePerL2Gas).not.toBe(0n);
  expect((await fees.predictedMinFees("target"))[0].feePerL2Gas).not.toBe(0n);
});

describe("contracts beside the rollup", () => {
  const recorded = {
    slashFactoryAddress: "0xa85233c63b9ee964add6f2cffe00fd84eb32338f",
    feeAssetHandlerAddress: "0x959922be3caee4b8cd9a407cc3ac1c251c2007b1",
    stakingAssetHandlerAddress: "0x3aa5ebb10dc797cac828524e59a333d0a371443c",
  };

  test("contracts beside the rollup are taken from configuration, and those that they name from L1", async () => {
    const { identity } = await connect({
      otherAddresses: {
        ...recorded,
        feeAssetHandlerAddress: recorded.feeAssetHandlerAddress.toUpperCase().replace("0X", "0x"),
      },
    });
    expect(identity.addresses).toMatchObject({
      ...recorded,
      zkPassportVerifierAddress: "0x68b1d87f95878fe05b998f19b66f4baba5de1aed",
      dateGatedRelayerAddress: "0x0b306bf915c4d645ff596e518faf3f9669b97016",
    });
  });

  test("contracts beside the rollup are omitted if neither configuration nor L1 names them", () => {
    for (const name of [...Object.keys(recorded), "zkPassportVerifierAddress"])
      expect(rollup.identity.addresses).not.toHaveProperty(name);
  });

  test("contracts beside the rollup are omitted if they are the zero address", async () => {
    const otherAddresses = { slashFactoryAddress: `0x${"0".repeat(40)}` };
    expect((await connect({ otherAddresses })).identity.addresses).not.toHaveProperty("slashFactoryAddress");
  });

  test("contracts beside the rollup must be addresses", async () => {
    for (const address of ["0x12", `0x${"0".repeat(39)}`]) {
      const connecting = connect({ otherAddresses: { slashFactoryAddress: address } });
      await expect(connecting).rejects.toThrow(L1ConfigurationError);
      await expect(connecting).rejects.toThrow(/slashFactoryAddress/);
    }
  });
});
