import { setTimeout as sleep } from "node:timers/promises";
import type { Topic } from "../../src/p2p/gossip/publisher.ts";
import { slotTimestamp } from "../../src/protocol/time.ts";
import type { CommitteeL1 } from "./committee-l1.ts";
import { gossipAttestations } from "./gossip-messages.ts";
import type { GossipNode } from "./gossip-nodes.ts";
import { joinAsLightPeer, type LightPeer } from "./light-peer.ts";
import { cpuTimeOf } from "./server-process.ts";

/** A message that a node did not forward in this time is lost: a verdict after 4.2 s forwards nothing. */
const LOST_MS = 6_000;
/** After peers joined, and after the last message arrived, a node still has work to do. */
const SETTLE_MS = 2_000;
const REST_MS = 300;
const IDLE_MS = 5_000;

/** Two peers of a node, which know nothing of each other: what one sends, the node forwards to the other. */
export class PeerPair {
  readonly #peers: readonly [LightPeer, LightPeer];
  /** Called with the milliseconds from sending to arrival at the other peer, by payload. */
  readonly #waiting = new Map<string, { at: number; arrived: (ms: number) => void }>();

  private constructor(peers: readonly [LightPeer, LightPeer]) {
    this.#peers = peers;
    for (const peer of peers) {
      peer.onMessage = (_, payload) => {
        const key = keyOf(payload);
        const sent = this.#waiting.get(key);
        if (sent === undefined) return;
        this.#waiting.delete(key);
        sent.arrived(performance.now() - sent.at);
      };
    }
  }

  static async join(l1: CommitteeL1, { address }: GossipNode, topic: Topic): Promise<PeerPair> {
    const first = await joinAsLightPeer(l1, address, [topic]);
    try {
      return new PeerPair([first, await joinAsLightPeer(l1, address, [topic])]);
    } catch (error) {
      await first.stop();
      throw error;
    }
  }

  /** Sends a message from one of the peers. Resolves to its latency, or to undefined if it is lost. */
  send(topic: Topic, payload: Uint8Array, from: 0 | 1 = 0): Promise<number | undefined> {
    return new Promise((resolve) => {
      const key = keyOf(payload);
      const late = setTimeout(() => {
        this.#waiting.delete(key);
        resolve(undefined);
      }, LOST_MS);
      const arrived = (ms: number): void => {
        clearTimeout(late);
        resolve(ms);
      };
      this.#waiting.set(key, { at: performance.now(), arrived });
      this.#peers[from].publish(topic, payload);
    });
  }

  async stop(): Promise<void> {
    for (const peer of this.#peers) await peer.stop();
  }
}

/** The last bytes differ in attestations, the first ones in txs. */
function keyOf(payload: Uint8Array): string {
  const text = (from: number, to: number) => Buffer.from(payload.subarray(from, to)).toString("latin1");
  return text(0, 32) + text(-136, -68);
}

/** CPU time of a node beside its peers, without messages, in milliseconds for each second. */
async function idleCpu({ process }: GossipNode): Promise<number> {
  await sleep(SETTLE_MS);
  const before = cpuTimeOf(process.pid);
  await sleep(IDLE_MS);
  return ((cpuTimeOf(process.pid) - before) * 1000) / IDLE_MS;
}

export interface Forwarded {
  perSecond: number;
  /** CPU time of all threads for each message, without that of the idle node. */
  cpuMs: number;
  lost: number;
  /** CPU milliseconds for each second of the node without messages. */
  idleCpu: number;
}

/** Sends txs as fast as the node forwards them. `outstanding`: how many are sent and have not arrived. */
export async function forwardTxs(
  node: GossipNode,
  pair: PeerPair,
  txs: readonly Uint8Array[],
  outstanding: number,
): Promise<Forwarded> {
  const idle = await idleCpu(node);
  const [started, before] = [performance.now(), cpuTimeOf(node.process.pid)];
  let next = 0;
  let lost = 0;
  let end = started;
  const work = async (): Promise<void> => {
    while (next < txs.length) {
      if ((await pair.send("tx", txs[next++])) === undefined) lost++;
      else end = performance.now();
    }
  };
  await Promise.all(Array.from({ length: outstanding }, work));
  const seconds = (end - started) / 1000;
  const cpu = cpuTimeOf(node.process.pid) - before - (idle * (performance.now() - started)) / 1000;
  const forwarded = txs.length - lost;
  return { perSecond: forwarded / seconds, cpuMs: cpu / forwarded, lost, idleCpu: idle };
}

export interface ForwardLatency {
  /** Ascending milliseconds. */
  sorted: number[];
  lost: number;
}

/** Sends txs at a steady rate, however long the node takes. */
export async function forwardLatency(
  pair: PeerPair,
  txs: readonly Uint8Array[],
  perSecond: number,
): Promise<ForwardLatency> {
  const sent: Promise<number | undefined>[] = [];
  const started = performance.now();
  for (const [i, tx] of txs.entries()) {
    await sleep(Math.max(0, started + (i * 1000) / perSecond - performance.now()));
    sent.push(pair.send("tx", tx));
  }
  const all = await Promise.all(sent);
  const sorted = all.filter((ms) => ms !== undefined).toSorted((a, b) => a - b);
  return { sorted, lost: all.length - sorted.length };
}

/**
 * Sends the attestations of successive slots, each slot's at once after its start, half of them from each peer. Their
 * signatures are made in the slot before.
 */
export async function forwardAttestations(
  l1: CommitteeL1,
  node: GossipNode,
  pair: PeerPair,
  { slots, name }: { slots: number; name: string },
): Promise<Forwarded> {
  const idle = await idleCpu(node);
  const { pid } = node.process;
  let [lost, count, busyMs, cpu] = [0, 0, 0, 0];
  const first = l1.slot() + 1;
  for (let slot = first; slot < first + slots; slot++) {
    const messages = await gossipAttestations(l1, slot, name);
    await sleep(Math.max(0, slotTimestamp(slot, l1.identity.constants) * 1000 + 100 - Date.now()));
    const [begun, before] = [performance.now(), cpuTimeOf(pid)];
    const sent = messages.map((message, i) => pair.send("checkpoint_attestation", message, i % 2 === 0 ? 0 : 1));
    const arrived = (await Promise.all(sent)).filter((ms) => ms !== undefined);
    await sleep(REST_MS);
    cpu += cpuTimeOf(pid) - before - (idle * (performance.now() - begun)) / 1000;
    busyMs += Math.max(0, ...arrived);
    count += arrived.length;
    lost += messages.length - arrived.length;
  }
  return { perSecond: (count * 1000) / busyMs, cpuMs: cpu / count, lost, idleCpu: idle };
}
