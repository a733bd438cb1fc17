import { randomBytes } from "node:crypto";
import { log2Distance } from "@chainsafe/discv5";
import { createRandomPacket, encodePacket } from "@chainsafe/discv5/packet";
import { afterEach, describe, expect, test } from "vitest";
import { OwnRecord } from "../../../src/p2p/discovery/own-record.ts";
import { parseRecord } from "../../../src/p2p/discovery/record-rules.ts";
import { generatePeerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { bootnode, discoveryNode, heardOf, VERSION } from "../../world/p2p/discovery-nodes.ts";
import { flood, garbage, lyingNode, plainNode, signedValues } from "./hostile-nodes.ts";

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

function stopped<T extends { stop(): Promise<void> }>(service: T): T {
  running.push(service);
  return service;
}

async function started<T extends { start(): Promise<void>; stop(): Promise<void> }>(made: Promise<T>): Promise<T> {
  const service = stopped(await made);
  await service.start();
  return service;
}

const WAIT = { timeout: 120_000, interval: 250 };
const nodeIdOf = (enr: string): string => parseRecord(enr, "record").nodeId;

describe("discovery among hostile nodes", () => {
  test("takes garbage, and packets that name the node itself as their source", async () => {
    const boot = await started(bootnode());
    const [victim, honest] = await Promise.all([1, 2].map(() => started(discoveryNode({ bootnodes: [boot.enr] }))));
    if (victim === undefined || honest === undefined) throw new Error("not started");
    const id = nodeIdOf(victim.enr);
    const own = Array.from({ length: 50 }, () => encodePacket(id, createRandomPacket(id)));
    const strangers = Array.from({ length: 50 }, () =>
      encodePacket(id, createRandomPacket(randomBytes(32).toString("hex"))),
    );
    await flood(
      victim.transport.port,
      ["127.0.9.1", "127.0.9.2", "127.0.9.3"],
      [...own, ...strangers, ...garbage(500)],
    );
    await expect.poll(() => victim.transport.counts.received, WAIT).toBeGreaterThan(150);
    const { malformed, failed, dropped } = victim.transport.counts;
    expect(malformed).toBeGreaterThan(0);
    expect(dropped).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);

    const heard = heardOf(victim);
    await expect.poll(() => lookUp(honest, victim).then(() => [...heard]), WAIT).toContain(honest.identity.id);
  });

  test("finds honest nodes while a bootnode hands out records that break the library", async () => {
    const entries = (change: Record<string, Uint8Array | undefined>, order?: string[]): [string, Uint8Array][] => {
      const all: Record<string, Uint8Array | undefined> = {
        ...{ aztec: Buffer.from(VERSION), id: Buffer.from("v4"), ip: Buffer.of(127, 0, 0, 1) },
        ...{ secp256k1: Buffer.of(0), tcp: Buffer.of(157, 208), udp: Buffer.of(157, 208) },
        ...change,
      };
      return (order ?? Object.keys(all).toSorted()).flatMap((key) => {
        const value = all[key];
        return value === undefined ? [] : [[key, value] as [string, Uint8Array]];
      });
    };
    const broken = [
      { ip: Buffer.of(1, 2, 3, 4, 5) },
      { ip: Buffer.alloc(40, 1) },
      { ip: Buffer.of(255, 255, 255, 255) },
      { ip: Buffer.of(0, 0, 0, 0) },
      { udp: Buffer.of(1) },
      { udp: Buffer.alloc(0) },
      { tcp: Buffer.of(1, 2, 3) },
    ];
    const records = [
      ...broken.flatMap((change) => [1, 2].map(() => signedValues(entries(change)))),
      signedValues(entries({}), Buffer.from("ffffffffffffffff", "hex")),
      signedValues(entries({}, ["udp", "tcp", "secp256k1", "ip", "id", "aztec"])),
    ];
    const liar = stopped(await lyingNode(VERSION, records));
    const boot = await started(bootnode());
    const honest = await started(discoveryNode({ bootnodes: [boot.enr] }));
    const victim = await started(discoveryNode({ bootnodes: [liar.enr, boot.enr] }));
    const heard = heardOf(victim);
    await expect.poll(() => lookUp(honest, victim).then(() => [...heard]), WAIT).toContain(honest.identity.id);
    await expect
      .poll(async () => {
        await lookUp(honest, victim);
        return victim.table.map(({ nodeId }) => nodeId).toSorted();
      }, WAIT)
      .toEqual([liar, boot, honest].map(({ enr }) => nodeIdOf(enr)).toSorted());
    // The record in the wrong order is a valid one of a reachable peer; only handing it on would be impossible.
    expect(heard.size).toBeLessThanOrEqual(2);
  });

  test("keeps places in its table for honest nodes while one network takes what it can", async () => {
    const victim = await started(discoveryNode({ countPrivate: true }));
    const attackers = await Promise.all(
      Array.from({ length: 40 }, async () => stopped(await plainNode(VERSION, "127.0.66.1"))),
    );
    for (let i = 0; i < attackers.length; i += 8) {
      await Promise.all(attackers.slice(i, i + 8).map((attacker) => attacker.ask(victim.enr)));
    }
    const honest = await Promise.all(
      [1, 2, 3].map((i) => started(discoveryNode({ address: `127.0.${i}.1`, bootnodes: [victim.enr] }))),
    );
    await expect
      .poll(async () => {
        await Promise.all(honest.map((node) => node.query()));
        const known = new Set(victim.table.map(({ nodeId }) => nodeId));
        return honest.every(({ enr }) => known.has(nodeIdOf(enr)));
      }, WAIT)
      .toBe(true);
    const taken = victim.table.filter(({ ip }) => ip === "127.0.66.1").length;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(10);
  });

  // About finding peers, not about refusing them: repeated as other tests over sockets are, and named as flaky then.
  test("asks a bootnode that found no place in the table", { retry: process.env.CI ? 1 : 0 }, async () => {
    const boot = await started(bootnode());
    const bootId = nodeIdOf(boot.enr);
    // One node in eight is as near to the bootnode as this one. Its bucket of the victim's table is the full one.
    const near = identityAt((distance) => distance < 254, bootId);
    const honest = await started(discoveryNode({ identity: near, bootnodes: [boot.enr] }));
    // Sixteen silent bootnodes fill the bucket of the seventeenth.
    const identity = identityAt((distance) => distance === 256, bootId);
    const victimId = nodeIdOf(recordOf(identity));
    const silent = Array.from({ length: 16 }, () => recordOf(identityAt((distance) => distance === 256, victimId)));
    const victim = await started(discoveryNode({ identity, bootnodes: [...silent, boot.enr] }));
    const heard = heardOf(victim);
    expect(victim.table).toHaveLength(16);
    await expect.poll(() => lookUp(honest, victim).then(() => [...heard]), WAIT).toEqual([honest.identity.id]);
  });
});

/** Lets nodes look up others. Repeated, because a busy machine answers later than a lookup waits. */
async function lookUp(...nodes: { query(): Promise<void> }[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.query()));
}

const content = { version: VERSION, release: undefined, ip: "127.0.0.1", udp: 9, tcp: undefined };

function recordOf(identity: ReturnType<typeof generatePeerIdentity>): string {
  return new OwnRecord({ identity, content, file: undefined, first: 1n }).text;
}

/** A new key whose node has an accepted distance from a given one. */
function identityAt(accepts: (distance: number) => boolean, id: string): ReturnType<typeof generatePeerIdentity> {
  for (;;) {
    const identity = generatePeerIdentity();
    if (accepts(log2Distance(nodeIdOf(recordOf(identity)), id))) return identity;
  }
}
