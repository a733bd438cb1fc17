import { describe, expect, test } from "vitest";
import { clientNetwork } from "../../../src/rpc/limits/client-address.ts";
import { ClientLimit } from "../../../src/rpc/limits/client-limit.ts";
import { SharedBuckets } from "../../../src/rpc/limits/shared-buckets.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:0201", "192.0.2.1"],
  ["0000:0000:0000:0000:0000:ffff:c000:0201", "192.0.2.1"],
  ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
  ["2001:0DB8:0000:0001:ffff:0000:0000:0000", "2001:db8:0:1::/64"],
  ["2001:db8:0:1::", "2001:db8:0:1::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["", ""],
])("client %j is counted as network %j", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

describe("rate limit", () => {
  function limitAt(maxClients?: number) {
    let ms = 1_000;
    const limit = new ClientLimit({ perSecond: 5, memory: SharedBuckets.memory(maxClients), now: () => ms });
    const admitted = (client: string, requests: number) =>
      Array.from({ length: requests }, () => limit.request(client)).filter((refusal) => refusal === undefined).length;
    const pass = (more: number) => {
      ms += more;
    };
    return { limit, admitted, pass };
  }
  const waitOf = (refusal: ReturnType<ClientLimit["request"]>) => refusal?.headers?.[0];

  test("a limit of five calls a second admits ten at once, then five a second, and never saves up more", () => {
    const { admitted, pass } = limitAt();
    expect(admitted("192.0.2.1", 50)).toBe(10);
    pass(1_000);
    expect(admitted("192.0.2.1", 50)).toBe(5);
    pass(200);
    expect(admitted("192.0.2.1", 50)).toBe(1);
    pass(3_600_000);
    expect(admitted("192.0.2.1", 50)).toBe(10);
  });

  test("a rate limit counts each IPv4 address and each IPv6 /64 apart", () => {
    const { admitted } = limitAt();
    expect(admitted("192.0.2.1", 50)).toBe(10);
    expect(admitted("192.0.2.2", 50)).toBe(10);
    expect(admitted("2001:db8::1", 50)).toBe(10);
    expect(admitted("2001:db8::2", 50)).toBe(0);
    expect(admitted("2001:db8:0:1::2", 50)).toBe(10);
  });

  test("a batch may overdraw the rate limit once, and its client waits until the debt is paid", () => {
    const { limit, pass } = limitAt();
    expect(limit.request("a")).toBeUndefined();
    expect(limit.request("a")).toBeUndefined();
    expect(limit.batch("a", 99)).toBeUndefined();
    expect(limit.batch("a", 99)).toMatchObject({ status: 429 });
    const refusal = limit.request("a");
    // 10 - 2 - 99 = -91 calls: 92 are missing until the next.
    expect(waitOf(refusal)).toEqual(["Retry-After", "19"]);
    expect(JSON.parse(Buffer.from(refusal?.body ?? []).toString())).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32005, message: "Rate limit of 5 calls per second exceeded" },
    });
    pass(18_000);
    expect(waitOf(limit.request("a"))).toEqual(["Retry-After", "1"]);
    pass(1_000);
    expect(limit.request("a")).toBeUndefined();
  });

  test("a full rate limit forgets the client whose debt ends first", () => {
    const { limit, admitted, pass } = limitAt(2);
    expect(admitted("b", 50)).toBe(10);
    pass(100);
    expect(admitted("a", 50)).toBe(10);
    expect(admitted("c", 1)).toBe(1);
    expect(limit.clients).toBe(2);
    expect(admitted("a", 1)).toBe(0);
    expect(admitted("b", 10)).toBe(10);
    pass(3_000);
    expect(limit.clients).toBe(0);
  });

  test("rate limits that share their memory share the budget", () => {
    const memory = SharedBuckets.memory();
    const limits = [1, 2, 3].map(() => new ClientLimit({ perSecond: 5, memory, now: () => 1_000 }));
    const admitted = Array.from({ length: 30 }, (_, i) => limits[i % 3].request("192.0.2.1"));
    expect(admitted.filter((refusal) => refusal === undefined)).toHaveLength(10);
    expect(limits.map(({ clients }) => clients)).toEqual([1, 1, 1]);
  });
});
