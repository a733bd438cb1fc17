import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SampledAccounts } from "../../../src/l1/tx/sampled-accounts.ts";

const ADDRESS = "0x77";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function sampled() {
  const asked: string[] = [];
  const request = async ({ method, parse }: { method: string; parse: (value: unknown) => unknown }) => {
    asked.push(method);
    return parse("0x10");
  };
  const balance = async () => {
    asked.push("balance");
    return 3n * 10n ** 18n;
  };
  const accounts = new SampledAccounts();
  const sending = { rpc: { request } as never, senders: [{ address: ADDRESS, balance }] };
  return { accounts, asked, sending };
}

const NONE = { balances: new Map(), fees: {} };
const SOME = { balances: new Map([[ADDRESS, 3]]), fees: { gasPrice: 16n, blobBaseFee: 16n } };

test("L1 is asked for balances only while somebody reads them", async () => {
  const { accounts, asked, sending } = sampled();
  const remove = accounts.add(sending);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(asked).toEqual([]);
  expect(accounts.read()).toEqual(NONE);
  await vi.advanceTimersByTimeAsync(0);
  expect(accounts.read()).toEqual(SOME);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(9);

  await vi.advanceTimersByTimeAsync(3_600_000);
  const calls = asked.length;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(asked).toHaveLength(calls);
  // What was read long ago is not shown.
  expect(accounts.read()).toEqual(NONE);
  await vi.advanceTimersByTimeAsync(0);
  expect(accounts.read()).toEqual(SOME);
  remove();
  expect(accounts.read()).toEqual(NONE);
  expect(vi.getTimerCount()).toBe(0);
});

test("accounts that are added while the metrics are read are shown without waiting for another reading", async () => {
  const { accounts, sending } = sampled();
  accounts.read();
  accounts.add(sending);
  await vi.advanceTimersByTimeAsync(0);
  expect(accounts.read()).toEqual(SOME);
});
