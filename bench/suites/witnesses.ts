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
/** Enough keys to reach nearly every tile of the million leaves, as an endless series of random keys would. */
const KEYS = 200_000;
/** Time for the runtime to compile the hot functions. */
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 32;
const BATCH = 100;
const BATCH_CONNECTIONS = 8;
/**
 * The machine that the targets are for has two processors, and a node with many witness requests has an RPC thread on
 * each.
 */
const RPC_THREADS = 2;

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

/** Requests for random keys; both sides get the same, except for the block. */
function bodies(method: string, block: number | "latest"): string[] {
  const random = new SeededBytes(1);
  return Array.from({ length: KEYS }, () => call(method, [block, toHex(random.field())]));
}

/** Witnesses in batches against single calls for as many, both with the same number of connections as they are for. */
async function batches(
  { repeats, seconds }: Pick<SuiteContext, "repeats" | "seconds">,
  url: string,
  block: number,
): Promise<(Comparison | Figure)[]> {
  const singles = bodies(METHODS.nullifier, block);
  const batched = Array.from(
    { length: singles.length / BATCH },
    (_, i) => `[${singles.slice(i * BATCH, (i + 1) * BATCH).join(",")}]`,
  );
  const ofBatches = () => load({ url, bodies: batched, seconds, connections: BATCH_CONNECTIONS });
  const ofSingles = () => load({ url, bodies: singles, seconds, connections: CONNECTIONS });
  await answerTo(url, batched[0]);
  for (const warm of [ofBatches, ofSingles]) await warm();
  const pairs = await inPairs(repeats, ofBatches, ofSingles);
  const row = "witness-batches";
  return [
    {
      ...{ kind: "comparison", row, peer: "singles", unit: "/s", better: "more" },
      pairs: pairs.map(({ ours, theirs }) => ({ ours: ours.perSecond * BATCH, theirs: theirs.perSecond })),
      note: `witnesses; batches at ${BATCH_CONNECTIONS} connections, single calls at ${CONNECTIONS}`,
    },
    {
      ...{ kind: "figure", row, name: FIGURES.p99OfBatch, unit: "ms" },
      values: pairs.map(({ ours }) => latencyAt(ours, 99)),
    },
  ];
}

async function serve(directory: string, threads: number): Promise<{ server: ServerProcess; url: string }> {
  const arguments_ = ["--disable-warning=ExperimentalWarning", SERVER, directory, String(threads)];
  const server = new ServerProcess(process.execPath, arguments_);
  const [, port] = await server.shows(/^(\d+)\n/);
  return { server, url: `http://127.0.0.1:${port}` };
}

/**
 * Compares witnesses over HTTP from a large state with the reference node on the recorded chain, then measures one RPC
 * thread.
 */
export async function witnessSuite(context: SuiteContext): Promise<SuiteResult> {
  await requireWrk();
  const { repeats, seconds, reference, progress } = context;
  const { directory, leaves, tip, past } = await context.states.large();
  let { server, url } = await serve(directory, RPC_THREADS);
  const l1 = reference && (await startRecordedL1());
  let referenceNode: Awaited<ReturnType<typeof startReferenceNode>> | undefined;
  try {
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
    const drive = (at: string, of: readonly string[], duration: number): Promise<Load> =>
      load({ url: at, bodies: of, seconds: duration, connections: CONNECTIONS });
    const warmUp = async (at: string, of: readonly string[]) => {
      await answerTo(at, of[0]);
      await drive(at, of, WARM_UP_SECONDS);
    };
    for (const { row, peer, name, method, block } of cases) {
      progress(name);
      const asked = bodies(method, block);
      await warmUp(url, asked);
      const theirs = referenceNode;
      const askedOfTheirs = theirs && bodies(method, "latest");
      if (theirs && askedOfTheirs) await warmUp(theirs.url, askedOfTheirs);
      const pairs = await inPairs(
        repeats,
        () => drive(url, asked, seconds),
        () => theirs && askedOfTheirs && drive(theirs.url, askedOfTheirs, seconds),
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
          : {
              kind: "figure",
              row,
              name: `${RPC_THREADS} RPC threads`,
              unit: "/s",
              values: rates.map(({ ours }) => ours),
            },
        p99,
      );
      latencies.push({ name: `${name}, ${CONNECTIONS} connections`, points: pairs[0].ours.latencies });
    }
    await server.stop();
    ({ server, url } = await serve(directory, 1));
    for (const { row, name, method, block } of cases.slice(0, 2)) {
      progress(`${name}, one RPC thread`);
      const asked = bodies(method, block);
      await warmUp(url, asked);
      const loads: Load[] = [];
      for (let i = 0; i < repeats; i++) loads.push(await drive(url, asked, seconds));
      measurements.push(
        { kind: "figure", row, name: "with one RPC thread instead", unit: "/s", values: loads.map((l) => l.perSecond) },
        { kind: "figure", row, name: "p99 with one", unit: "ms", values: loads.map((l) => latencyAt(l, 99)) },
      );
    }
    progress("batches, one RPC thread");
    measurements.push(...(await batches({ repeats, seconds }, url, tip)));
    const notes = [
      `witnesses: ours from a state of ${leaves} nullifiers and as many public-data leaves with ${tip - 1} real blocks on top, ` +
        `${RPC_THREADS} RPC threads, which share two processors with the load generator; keys are random and not in the tree`,
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
