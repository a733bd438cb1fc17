import { ENR } from "@chainsafe/enr";
import { describe, expect, test } from "vitest";
import { PacketGate } from "../../../src/p2p/discovery/packet-gate.ts";
import { TableShares } from "../../../src/p2p/discovery/table-shares.ts";

const address = (i: number): string => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

describe("the packet gate", () => {
  test("admits a source's burst and then its rate", () => {
    let now = 0;
    const gate = new PacketGate({ handshakesPerSecond: 10, now: () => now });
    const admitted = (count: number): number =>
      Array.from({ length: count }, () => gate.admits("1.2.3.4", "1.2.3.4:5")).filter(Boolean).length;
    expect(admitted(300)).toBe(100);
    now += 1000;
    expect(admitted(300)).toBe(50);
    now += 60_000;
    expect(admitted(300)).toBe(100);
  });

  test("hears a known node while strangers with any number of addresses use up their share", () => {
    let now = 0;
    const gate = new PacketGate({ handshakesPerSecond: 10, now: () => now });
    gate.asks("9.9.9.9:9000");
    let strangers = 0;
    let known = 0;
    for (let i = 0; i < 100_000; i++) {
      now += 0.02;
      if (gate.admits(address(i), `${address(i)}:1`)) strangers++;
      if (i % 2000 === 0 && gate.admits("9.9.9.9", "9.9.9.9:9000")) known++;
    }
    expect(strangers).toBeLessThanOrEqual(2000 + 1000 * 2);
    expect(known).toBe(50);
    expect(gate.size).toBeLessThanOrEqual(3 * 4096);
  });

  test("forgets a node 10 minutes after the last request to it, and the first one asked of too many", () => {
    let now = 0;
    const gate = new PacketGate({ handshakesPerSecond: 10, now: () => now });
    gate.asks("1.1.1.1:1");
    now = 600_000;
    expect(gate.knows("1.1.1.1:1")).toBe(true);
    now++;
    expect(gate.knows("1.1.1.1:1")).toBe(false);
    for (let i = 0; i <= 4096; i++) gate.asks(`${address(i)}:1`);
    expect([gate.knows(`${address(0)}:1`), gate.knows(`${address(1)}:1`)]).toEqual([false, true]);
  });

  test("limits handshakes of one source and of all", () => {
    const gate = new PacketGate({ handshakesPerSecond: 10, now: () => 0 });
    const count = (ip: (i: number) => string): number =>
      Array.from({ length: 500 }, (_, i) => gate.admitsHandshake(ip(i), `${ip(i)}:1`)).filter(Boolean).length;
    expect(count(() => "1.2.3.4")).toBe(20);
    expect(count(address)).toBe(20);
  });

  test("admits a long message as the answer to a request only", () => {
    let now = 0;
    const gate = new PacketGate({ handshakesPerSecond: 10, now: () => now });
    expect(gate.admitsMessage("1.1.1.1:1", 200)).toBe(true);
    expect(gate.admitsMessage("1.1.1.1:1", 201)).toBe(false);
    gate.asks("1.1.1.1:1");
    const answers = Array.from({ length: 8 }, () => gate.admitsMessage("1.1.1.1:1", 1280));
    expect(answers.filter(Boolean)).toHaveLength(6);
    gate.asks("1.1.1.1:1");
    now = 15_001;
    expect(gate.admitsMessage("1.1.1.1:1", 1280)).toBe(false);
  });
});

describe("the shares of the routing table", () => {
  const record = (ip: number[], id: string): ENR =>
    Object.assign(Object.create(ENR.prototype) as ENR, { kvs: new Map([["ip", Uint8Array.from(ip)]]), nodeId: id });
  const bucketOf = (id: string): number => Number(id);
  const filled = (shares: TableShares, records: ENR[]): ENR[] => {
    const table: ENR[] = [];
    for (const one of records) if (shares.admits(one, table, bucketOf)) table.push(one);
    return table;
  };

  test("leave one /24 network 2 places in a bucket and 10 in the table", () => {
    const many = Array.from({ length: 100 }, (_, i) => record([203, 0, 113, i], String(i % 20)));
    expect(filled(new TableShares(), many)).toHaveLength(10);
    const one = Array.from({ length: 100 }, (_, i) => record([203, 0, 113, i], "7"));
    expect(filled(new TableShares(), one)).toHaveLength(2);
    const others = Array.from({ length: 100 }, (_, i) => record([203, 0, i, 1], "7"));
    expect(filled(new TableShares(), [...one, ...others])).toHaveLength(2 + 100);
  });

  test("do not count private networks unless told to", () => {
    const local = Array.from({ length: 100 }, (_, i) => record([127, 0, 0, 1], String(i)));
    expect(filled(new TableShares(), local)).toHaveLength(100);
    expect(filled(new TableShares({ countPrivate: true }), local)).toHaveLength(10);
  });
});
