import { join } from "node:path";
import { toHex } from "../../src/protocol/bytes.ts";
import type { Comparison, Figure, LatencyCurve, SuiteResult } from "../lib/measurement.ts";
import { startRecordedL1, startReferenceNode } from "../lib/recorded-nodes.ts";
import { SeededBytes } from "../lib/seeded-bytes.ts";
import { ServerProcess } from "../lib/server-process.ts";
import { inPairs } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES, type PeerId, type RowId } from "../lib/targets.ts";
import { answerTo, call, type Load, latencyAt, load, requireWrk } from "../lib/wrk.ts";

const SERVER = join(import.meta.dirname, "..", "lib", "serve-state.ts");
const KEYS = 20_000;
const CONNECTIONS = 32;

const METHODS = {
  nullifier: "node_getLowNullifierMembershipWitness",
  publicData: "node_getPublicDataWitness",
} as const;

interface Case {
  row: RowId;
  peer: PeerId;
  name: string;
  method: string;
  block: number;
}

/** Requests for random keys, the same for both sides but for the block. */
function bodies(method: string, block: number | "latest", seed: number): string[] {
  const random = new SeededBytes(seed);
  return Array.from({ length: KEYS }, () => call(method, [block, toHex(random.field())]));
}

/** Witnesses over HTTP from a large state, one RPC thread, against the reference node on the recorded chain. */
export async function witnessSuite(context: SuiteContext): Promise<SuiteResult> {
  await requireWrk();
  const { repeats, seconds, reference, progress } = context;
  const { directory, leaves, tip, past } = await context.largeState.get();
  const server = new ServerProcess(process.execPath, ["--disable-warning=ExperimentalWarning", SERVER, directory, "1"]);
  const l1 = reference && (await startRecordedL1());
  let referenceNode: Awaited<ReturnType<typeof startReferenceNode>> | undefined;
  try {
    const [, port] = await server.shows(/^(\d+)\n/);
    const url = `http://127.0.0.1:${port}`;
    if (reference !== undefined && l1 !== undefined) {
      progress("starting the reference");
      referenceNode = await startReferenceNode(reference, l1);
    }
    const cases: Case[] = [
      {
        row: "nullifier-witness",
        peer: "reference",
        name: "low-nullifier witness",
        method: METHODS.nullifier,
        block: tip,
      },
      {
        row: "public-data-witness",
        peer: "reference",
        name: "public-data witness",
        method: METHODS.publicData,
        block: tip,
      },
      {
        ...{ row: "old-nullifier-witness", peer: "latest", method: METHODS.nullifier, block: past },
        name: `low-nullifier witness, ${tip - past} blocks back`,
      },
      {
        ...{ row: "old-public-data-witness", peer: "latest", method: METHODS.publicData, block: past },
        name: `public-data witness, ${tip - past} blocks back`,
      },
    ];
    const measurements: (Comparison | Figure)[] = [];
    const latencies: LatencyCurve[] = [];
    for (const { row, peer, name, method, block } of cases) {
      progress(name);
      const drive = (at: string, of: number | "latest", duration: number): Promise<Load> =>
        load({
          url: at,
          bodies: bodies(method, of, 1 + (of === "latest" ? 0 : of)),
          seconds: duration,
          connections: CONNECTIONS,
        });
      await answerTo(url, bodies(method, block, 1)[0]);
      await drive(url, block, 1);
      const theirs = referenceNode;
      if (theirs !== undefined) await drive(theirs.url, "latest", 1);
      const pairs = await inPairs(
        repeats,
        () => drive(url, block, seconds),
        () => theirs && drive(theirs.url, "latest", seconds),
      );
      const rates = pairs.map(({ ours, theirs }) => ({ ours: ours.perSecond, theirs: theirs?.perSecond }));
      const p99: Figure = {
        ...{ kind: "figure", row, name: FIGURES.p99, unit: "ms" },
        values: pairs.map(({ ours }) => latencyAt(ours, 99)),
      };
      const both = rates.flatMap(({ ours, theirs }) => (theirs === undefined ? [] : [{ ours, theirs }]));
      measurements.push(
        both.length > 0
          ? { kind: "comparison", row, peer, unit: "/s", better: "more", pairs: both }
          : { kind: "figure", row, name: "one RPC thread", unit: "/s", values: rates.map(({ ours }) => ours) },
        p99,
      );
      latencies.push({ name: `${name}, ${CONNECTIONS} connections`, points: pairs[0].ours.latencies });
    }
    const notes = [
      `witnesses: ours from a state of ${leaves} nullifiers and as many public-data leaves with ${tip - 1} real blocks on top, one RPC thread; ` +
        "keys are random and not in the tree",
    ];
    if (referenceNode !== undefined)
      notes.push(
        "witnesses: the reference has the trees of the recorded chain, a few thousand leaves, which favours it: ours have a million",
      );
    return { measurements, latencies, notes };
  } finally {
    await server.stop();
    await referenceNode?.process.stop();
    l1?.stop();
  }
}
