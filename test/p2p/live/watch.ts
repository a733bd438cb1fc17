import { dirname, join } from "node:path";
import type { Checks } from "../../world/live/checks.ts";
import { say } from "../../world/live/checks.ts";
import type { LiveNode } from "../../world/live/live-node.ts";
import { peersOf, type ReferenceNetwork } from "../../world/live/reference-network.ts";
import { sendTraffic, type TrafficReport } from "../../world/live/traffic.ts";
import { complaints, type MeshEvidence, meshOf, penaltiesOf } from "./gossip-evidence.ts";
import { compareBlocks, compareSlot, type SlotResult } from "./slot-comparison.ts";
import { TipSamples } from "./tip-samples.ts";

export interface WatchOptions {
  ours: LiveNode;
  /** Peer id of `ours`. */
  id: string;
  network: ReferenceNetwork;
  /** Path of the network file; the data and logs of its nodes are beside it. */
  file: string;
  minutes: number;
  /** Command that sends txs. */
  traffic: string | undefined;
  checks: Checks;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Time after the end of a slot in which its last messages arrive. */
const SLOT_GRACE_MS = 8_000;
/** Time in which a topic's mesh forms: it is looked at after it. */
const MESH_MS = 30_000;

/** Follows the network beside the reference nodes for some minutes and checks that both sides saw the same. */
export async function watchBeside(options: WatchOptions): Promise<void> {
  const { ours, id, network, file, minutes, traffic, checks } = options;
  const { nodes, genesisMs, slotDurationMs } = network;
  const urls = nodes.map(({ url }) => url);
  const start = Date.now();
  const end = start + minutes * 60_000;
  const slotAt = (ms: number) => Math.floor((ms - genesisMs) / slotDurationMs);
  const logged = ours.lines().length;

  const sent: [string, Promise<TrafficReport>][] = [];
  const send = async (): Promise<void> => {
    if (traffic === undefined) return;
    sent.push(["sent to ours", sendTraffic(traffic, [ours.url, ...urls], 3, 4)]);
    await sent[0][1].catch(() => undefined);
    sent.push(["sent to a reference node", sendTraffic(traffic, [urls[0], ours.url, ...urls.slice(1)], 3, 4)]);
    await sent[1][1].catch(() => undefined);
  };
  const sending = send();

  const tips = new TipSamples();
  const results: SlotResult[] = [];
  const compareUntil = async (slot: number): Promise<void> => {
    for (let next = (results.at(-1)?.slot ?? slotAt(start)) + 1; next <= slot; next++) {
      const result = await compareSlot(ours.url, nodes, next);
      results.push(result);
      if (result.missing.length + result.missingCheckpoints.length > 0) say(JSON.stringify(result));
    }
  };
  let connectionsLost = 0;
  let samples = 0;
  while (Date.now() < end) {
    await tips.take(ours.url, urls[0]);
    const [own, ...theirs] = await Promise.all([ours.url, ...urls].map(peersOf));
    samples++;
    if (!nodes.every((node) => own.has(node.id)) || !theirs.every((peers) => peers.has(id))) connectionsLost++;
    await compareUntil(slotAt(Date.now() - SLOT_GRACE_MS) - 1).catch((error) => say(String(error)));
    if (samples % 60 === 0) say(`${samples} samples, ${results.length} slots, ${JSON.stringify(tips)}`);
    await pause(1_000);
  }
  await sending;
  const until = Date.now();
  await pause(SLOT_GRACE_MS);
  await compareUntil(slotAt(until) - 1);

  for (const [what, report] of sent) {
    await checks.of(`every tx ${what} reaches all pools and is mined`, async () => {
      const { arrivals, ...counts } = await report;
      const sorted = arrivals.toSorted((a, b) => a - b);
      const figures = {
        ...counts,
        arrivals: sorted.length,
        medianMs: sorted[sorted.length >> 1],
        maxMs: sorted.at(-1),
      };
      return { passed: counts.never + counts.failed === 0 && counts.mined === counts.sent && counts.sent > 0, figures };
    });
  }
  const total = (of: (result: SlotResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
  checks.add(
    "every attestation of the reference nodes is in our pool, with the same content",
    total(({ missing }) => missing.length) === 0 && total(({ attestations }) => attestations) > 0,
    {
      slots: results.length,
      attestations: total(({ attestations }) => attestations),
      missing: results.flatMap(({ slot, missing }) =>
        missing.length === 0 ? [] : [`${missing.length} of slot ${slot}`],
      ),
      onlyInOurs: total(({ more }) => more),
    },
  );
  checks.add(
    "every attested checkpoint's proposal is in our pool",
    total(({ missingCheckpoints }) => missingCheckpoints.length) === 0 && total(({ checkpoints }) => checkpoints) > 0,
    {
      checkpoints: total(({ checkpoints }) => checkpoints),
      missing: results.flatMap(({ missingCheckpoints }) => missingCheckpoints),
    },
  );
  await checks.of("the proposal of every block of the chain is in our pool", async () => {
    const figures = await compareBlocks(ours.url, nodes[0], { from: results[0].slot, to: results.at(-1)?.slot ?? 0 });
    return { passed: figures.missing.length === 0 && figures.blocks > 0, figures };
  });
  checks.add("our proposed tip goes ahead of the checkpointed one as theirs does", tips.ahead.ours > 0, tips);
  checks.add("ours stays connected to all reference nodes", connectionsLost === 0, { samples, connectionsLost });

  await checks.of("our scores of all peers and theirs of ours are healthy", async () => {
    const own = await peersOf(ours.url);
    const theirs = await Promise.all(nodes.map(async ({ url }) => (await peersOf(url)).get(id)));
    const scores = { ours: [...own.values()], theirs };
    return { passed: [...own.values(), ...theirs].every((score) => score === 0), figures: scores };
  });
  checkMeshes(options, start + MESH_MS, until);
  const lines = ours.lines().slice(logged);
  const reports = lines.filter((line) => line.includes('"gossip with')).map((line) => JSON.parse(line));
  const isMeshed = ({ topics }: { topics: Record<string, { mesh: number }> }) =>
    Object.values(topics).every(({ mesh }) => mesh >= nodes.length);
  checks.add(
    "our gossip score of no reference node is negative at any report",
    reports.length > 0 && reports.every(({ lowestScore }) => lowestScore >= 0),
    {
      reports: reports.length,
      withFullMeshes: reports.filter(isMeshed).length,
      lowestScore: Math.min(...reports.map((each) => each.lowestScore)),
      last: reports.at(-1)?.topics,
    },
  );
  const own = complaints(lines);
  checks.add("our node rejects and penalizes nothing of honest peers", own.length === 0, {
    count: own.length,
    first: own.slice(0, 5),
  });
  const penalties = nodes.flatMap(({ name }) => penaltiesOf(join(dirname(file), `${name}.log`), id));
  checks.add("no reference node penalizes ours", penalties.length === 0, {
    count: penalties.length,
    first: penalties.slice(0, 5),
  });
}

/** Reports of `report-mesh.mjs` in which a mesh may lack a peer for one backoff of 60 s. */
const BACKOFF_REPORTS = 13;

/**
 * Compares how the reference nodes keep ours in their meshes with how they keep each other. With few validators no mesh
 * is complete all the time: a node that proposes some slots in a row gets no checkpoint proposal from anybody
 * meanwhile, and prunes all its peers for it.
 */
function checkMeshes({ id, network: { nodes }, file, checks }: WatchOptions, from: number, to: number): void {
  const reportOf = (name: string) => join(dirname(file), `data-${name}`, "mesh.jsonl");
  const evidence = (peer: string): [string, MeshEvidence][] =>
    nodes.flatMap((node) => {
      const found = node.id === peer ? undefined : meshOf(reportOf(node.name), peer, from, to);
      return found === undefined ? [] : [[node.name, found]];
    });
  const ofOurs = evidence(id);
  if (ofOurs.length === 0) {
    say("not compared: the reference nodes report no meshes; start them with report-mesh.mjs in their NODE_OPTIONS");
    return;
  }
  const meanIncomplete = (of: [string, MeshEvidence][]) =>
    of.reduce((sum, [, { incomplete }]) => sum + incomplete, 0) / of.length;
  const ofEachOther = Object.fromEntries(nodes.map(({ name, id: peer }) => [name, meanIncomplete(evidence(peer))]));
  const all = ofOurs.map(([, of]) => of);
  checks.add(
    "ours is in the meshes of all topics of the reference nodes as much as they are in each other's",
    ofOurs.length === nodes.length &&
      all.every(({ lines }) => lines > 0) &&
      meanIncomplete(ofOurs) <= Math.max(...Object.values(ofEachOther)) + BACKOFF_REPORTS,
    { ours: Object.fromEntries(ofOurs), incompleteOfEachOther: ofEachOther },
  );
  checks.add(
    "no reference node counts an invalid message or misbehaviour of ours, and its last gossip score of ours is not negative",
    all.every(({ faults, lastScore }) => faults === 0 && lastScore >= 0),
    { faults: all.map(({ faults }) => faults), lastScores: all.map(({ lastScore }) => lastScore) },
  );
}
