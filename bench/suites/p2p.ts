import { setTimeout as sleep } from "node:timers/promises";
import { TOPICS } from "../../src/p2p/gossip/publisher.ts";
import { type CommitteeL1, startCommitteeL1 } from "../lib/committee-l1.ts";
import {
  type Forwarded,
  type ForwardLatency,
  forwardAttestations,
  forwardLatency,
  forwardTxs,
  PeerPair,
} from "../lib/gossip-load.ts";
import { gossipTxs } from "../lib/gossip-messages.ts";
import { type GossipNode, startOwnGossipNode, startReferenceGossipNode } from "../lib/gossip-nodes.ts";
import { joinAsLightPeer, type LightPeer } from "../lib/light-peer.ts";
import type { Comparison, Figure, ResultTable, SuiteResult } from "../lib/measurement.ts";
import { cpuTimeOf, type Memory, memoryOf } from "../lib/server-process.ts";
import { inPairs, percentile } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES, type RowId } from "../lib/targets.ts";

interface Sizes {
  /** Pairs of loads. */
  repeats: number;
  warmUp: number;
  /** Txs of one load. */
  txs: number;
  /** Slots of one load of attestations. */
  slots: number;
  /** Length of a load at a steady rate. */
  seconds: number;
  peers: number;
}

const FULL: Sizes = { repeats: 2, warmUp: 100, txs: 300, slots: 5, seconds: 15, peers: 100 };
const QUICK: Sizes = { repeats: 1, warmUp: 10, txs: 20, slots: 1, seconds: 2, peers: 10 };
const RATES = [10, 20, 50] as const;
/** Txs that are sent and not yet forwarded. */
const OUTSTANDING = 16;
/** A libp2p host takes five new connections a second from one address. */
const MS_BETWEEN_DIALS = 250;
const WAIT_BEFORE_MEMORY_MS = 10_000;
const MAX_DIALS = 2;
const MIN_PART = 0.9;

interface Crowded extends Memory {
  /** CPU milliseconds for each second, without messages. */
  idleCpu: number;
}

/** Measures one node. Every method takes its messages from outside, because both nodes get the same ones. */
class Measured {
  readonly #l1: CommitteeL1;
  readonly #node: GossipNode;

  constructor(l1: CommitteeL1, node: GossipNode) {
    this.#l1 = l1;
    this.#node = node;
  }

  async #beside<T>(topic: "tx" | "checkpoint_attestation", act: (pair: PeerPair) => Promise<T>): Promise<T> {
    const pair = await PeerPair.join(this.#l1, this.#node, topic);
    try {
      return await act(pair);
    } finally {
      await pair.stop();
    }
  }

  txs(txs: readonly Uint8Array[]): Promise<Forwarded> {
    return this.#beside("tx", (pair) => forwardTxs(this.#node, pair, txs, OUTSTANDING));
  }

  latency(txs: readonly Uint8Array[], perSecond: number): Promise<ForwardLatency> {
    return this.#beside("tx", (pair) => forwardLatency(pair, txs, perSecond));
  }

  attestations(slots: number, name: string): Promise<Forwarded> {
    return this.#beside("checkpoint_attestation", (pair) =>
      forwardAttestations(this.#l1, this.#node, pair, { slots, name }),
    );
  }

  /** With so many peers on all topics. */
  async crowded(count: number): Promise<Crowded> {
    const peers: LightPeer[] = [];
    const connected = (): number => peers.filter((peer) => peer.isConnected()).length;
    try {
      // A node that is busy with many at once lets go of one or the other, whose place another takes.
      while (connected() < count && peers.length < MAX_DIALS * count) {
        peers.push(await joinAsLightPeer(this.#l1, this.#node.address, TOPICS, { untilMeshed: false }));
        await sleep(MS_BETWEEN_DIALS);
      }
      const { pid } = this.#node.process;
      const before = cpuTimeOf(pid);
      await sleep(WAIT_BEFORE_MEMORY_MS);
      if (connected() < MIN_PART * count) throw new Error(`the node has ${connected()} of ${count} peers`);
      return { ...memoryOf(pid), idleCpu: ((cpuTimeOf(pid) - before) * 1000) / WAIT_BEFORE_MEMORY_MS };
    } finally {
      await Promise.all(peers.map((peer) => peer.stop()));
    }
  }
}

const at = ({ sorted }: ForwardLatency, p: number): number =>
  sorted.length === 0 ? Number.NaN : percentile(sorted, p);

const rounded = (value: number): number => Number(value.toFixed(2));

function forwardedRow(node: string, what: string, runs: readonly Forwarded[]): Record<string, unknown> {
  const mean = (of: keyof Forwarded) => rounded(runs.reduce((sum, run) => sum + run[of], 0) / runs.length);
  return {
    node,
    what,
    "forwarded/s": mean("perSecond"),
    "CPU ms each": mean("cpuMs"),
    "CPU ms/s idle": mean("idleCpu"),
    lost: runs.reduce((sum, { lost }) => sum + lost, 0),
    runs,
  };
}

function latencyRow(node: string, perSecond: number, found: ForwardLatency): Record<string, unknown> {
  const row = Object.fromEntries([50, 90, 99, 100].map((p) => [`p${p}, ms`, Math.round(at(found, p))]));
  return { node, "tx/s": perSecond, ...row, forwarded: found.sorted.length, lost: found.lost };
}

function crowdedRow(node: string, { resident, anonymous, idleCpu }: Crowded): Record<string, unknown> {
  return {
    node,
    "resident, MiB": Math.round(resident),
    "without files, MiB": Math.round(anonymous),
    "CPU ms/s idle": rounded(idleCpu),
  };
}

interface Both<T> {
  ours: T[];
  theirs: T[];
}

/** Measures the nodes in pairs; without a reference only ours. */
async function both<T>(
  repeats: number,
  nodes: { ours: Measured; theirs: Measured | undefined },
  measure: (node: Measured, repeat: number) => Promise<T>,
): Promise<Both<T>> {
  const { ours, theirs } = nodes;
  if (theirs === undefined) {
    const found: T[] = [];
    for (let i = 0; i < repeats; i++) found.push(await measure(ours, i));
    return { ours: found, theirs: [] };
  }
  const pairs = await inPairs(
    repeats,
    (i) => measure(ours, i),
    (i) => measure(theirs, i),
  );
  return { ours: pairs.map((pair) => pair.ours), theirs: pairs.map((pair) => pair.theirs) };
}

type Measure = Pick<Comparison, "row" | "unit" | "better"> & { peer?: "reference" | "reference-cpu"; note?: string };

/** A comparison, or without a reference a figure. */
function measurement<T>(
  { row, unit, better, peer = "reference", note }: Measure,
  { ours, theirs }: Both<T>,
  of: (found: T) => number,
): Comparison | Figure {
  if (theirs.length === 0)
    return {
      kind: "figure",
      row,
      name: peer === "reference" ? "this node" : "CPU time",
      unit,
      values: ours.map(of),
      note,
    };
  const pairs = ours.map((found, i) => ({ ours: of(found), theirs: of(theirs[i]) }));
  return { kind: "comparison", row, peer, unit, better, pairs, note };
}

async function measured(
  { quick, progress }: SuiteContext,
  l1: CommitteeL1,
  nodes: { ours: Measured; theirs: Measured | undefined },
): Promise<SuiteResult> {
  const sizes = quick ? QUICK : FULL;
  const measurements: SuiteResult["measurements"] = [];
  const rates: Record<string, unknown>[] = [];
  const forwarded = (row: RowId, what: string, found: Both<Forwarded>, note: string): void => {
    measurements.push(
      measurement({ row, unit: "/s", better: "more", note }, found, ({ perSecond }) => perSecond),
      measurement({ row, unit: "ms", better: "less", peer: "reference-cpu", note }, found, ({ cpuMs }) => cpuMs),
    );
    for (const [node, runs] of Object.entries(found)) {
      if (runs.length === 0) continue;
      const row = forwardedRow(node, what, runs);
      progress(`${node}: ${row["forwarded/s"]}/s, ${row["CPU ms each"]} ms of CPU time each`);
      rates.push(row);
    }
  };

  const warmUp = gossipTxs(l1, "warm-up", sizes.warmUp);
  await both(1, nodes, (node) => node.txs(warmUp));
  progress("txs, as fast as they are forwarded");
  const txs = Array.from({ length: sizes.repeats }, (_, i) => gossipTxs(l1, `tx ${i}`, sizes.txs));
  const ofTxs = await both(sizes.repeats, nodes, (node, i) => node.txs(txs[i]));
  forwarded("gossip-tx", "txs", ofTxs, `${OUTSTANDING} outstanding, ${sizes.txs} each, without public calls`);

  const latencies: Record<string, unknown>[] = [];
  for (const perSecond of RATES) {
    progress(`txs, ${perSecond} a second`);
    const steady = gossipTxs(l1, `latency ${perSecond}`, perSecond * sizes.seconds);
    const found = await both(1, nodes, (node) => node.latency(steady, perSecond));
    for (const [node, [run]] of Object.entries(found)) {
      if (run === undefined) continue;
      latencies.push(latencyRow(node, perSecond, run));
      progress(`${node}: p50 ${Math.round(at(run, 50))} ms, p99 ${Math.round(at(run, 99))} ms, ${run.lost} lost`);
    }
    const row = `gossip-latency-${perSecond}` as const;
    measurements.push(
      measurement({ row, unit: "ms", better: "less", note: "median" }, found, (run: ForwardLatency) => at(run, 50)),
    );
    if (perSecond === 20)
      measurements.push({
        kind: "figure",
        row,
        name: FIGURES.p99Forward,
        unit: "ms",
        values: found.ours.map((r) => at(r, 99)),
      });
  }

  await both(1, nodes, (node) => node.attestations(1, "warm-up"));
  progress("attestations");
  const ofAttestations = await both(sizes.repeats, nodes, (node, i) => node.attestations(sizes.slots, `run ${i}`));
  const note = `${sizes.slots} slots each, committee of 48, all of a slot at once`;
  forwarded("gossip-attestation", "attestations", ofAttestations, note);

  progress(`memory with ${sizes.peers} peers`);
  const crowd = await both(1, nodes, (node) => node.crowded(sizes.peers));
  const pool = `${sizes.peers} peers on all topics, after all other loads; all of the pool's txs are pending`;
  measurements.push(
    measurement({ row: "gossip-memory", unit: "MiB", better: "less", note: pool }, crowd, ({ resident }) => resident),
  );
  const tables: ResultTable[] = [
    { title: "gossip, as fast as a node forwards", rows: rates },
    { title: "gossip, from sending a tx to its arrival at another peer", rows: latencies },
    {
      title: `a node with ${sizes.peers} peers`,
      rows: Object.entries(crowd).flatMap(([node, runs]: [string, Crowded[]]) =>
        runs.map((run) => crowdedRow(node, run)),
      ),
    },
  ];
  return { measurements, tables };
}

/** Measures gossip through a node: messages that one peer sends and the node checks and forwards to another. */
export async function p2pSuite(context: SuiteContext): Promise<SuiteResult> {
  const { reference, progress } = context;
  progress("starting the nodes");
  const l1 = await startCommitteeL1();
  const running: GossipNode[] = [];
  const started = (node: GossipNode): Measured => {
    running.push(node);
    return new Measured(l1, node);
  };
  try {
    const ours = started(await startOwnGossipNode(l1));
    const theirs = reference === undefined ? undefined : started(await startReferenceGossipNode(reference, l1));
    return await measured(context, l1, { ours, theirs });
  } finally {
    await Promise.all(running.map(({ process }) => process.stop()));
    await l1.stop();
  }
}
