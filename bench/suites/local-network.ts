import { type LocalNetwork, startOwnNetwork, startReferenceNetwork } from "../lib/local-networks.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import { inPairs, median, percentile } from "../lib/statistics.ts";
import type { Suite } from "../lib/suite.ts";
import { latencies, prepareTraffic, type Sustained, sustained, type TxLatency } from "../lib/tx-load.ts";
import { TxTraffic } from "../lib/tx-traffic.ts";

export interface LocalNetworkOptions {
  /** Length of the sustained load. */
  minutes: number;
  /** Txs sent one after the other. */
  singles: number;
  /** Number of txs that are kept sent and not yet on L1. */
  outstanding: number;
  /** Number of pairs. */
  repeats: number;
}

/** Sizes in the whole suite, with the reference and without it. `bench/local-network.ts` measures for ten minutes. */
const USUAL: LocalNetworkOptions = { minutes: 1, singles: 30, outstanding: 400, repeats: 1 };
const ALONE: LocalNetworkOptions = { minutes: 0.5, singles: 10, outstanding: 400, repeats: 1 };
const QUICK: LocalNetworkOptions = { minutes: 0.25, singles: 3, outstanding: 50, repeats: 1 };

interface Measured {
  startSeconds: number;
  singles: TxLatency[];
  load: Sustained;
}

/** Starts a network, measures it and stops it, so that the two sides never run at the same time. */
async function measured(
  start: () => Promise<LocalNetwork>,
  { minutes, singles, outstanding }: LocalNetworkOptions,
  progress: (text: string) => void,
): Promise<Measured> {
  const network = await start();
  const traffic = new TxTraffic(network.url);
  try {
    progress(`it answers after ${network.startSeconds.toFixed(1)} s`);
    await prepareTraffic(traffic);
    const found = await latencies(traffic, singles);
    progress(`median latency ${Math.round(median(found.map(({ checkpointedMs }) => checkpointedMs)))} ms`);
    const load = await sustained(traffic, { seconds: minutes * 60, outstanding });
    progress(`${load.perSecond.toFixed(1)} tx/s over ${Math.round(load.seconds)} s`);
    return { startSeconds: network.startSeconds, singles: found, load };
  } finally {
    traffic.close();
    await network.stop();
  }
}

const latency = ({ singles }: Measured) => median(singles.map(({ checkpointedMs }) => checkpointedMs));

function tableRow(network: string, { startSeconds, singles, load }: Measured): Record<string, unknown> {
  const sorted = (of: keyof TxLatency) => singles.map((each) => each[of]).toSorted((a, b) => a - b);
  const at = (of: keyof TxLatency, p: number) => Math.round(percentile(sorted(of), p));
  return {
    network,
    "start, s": Number(startSeconds.toFixed(1)),
    "in a block, ms": at("minedMs", 50),
    "on L1, ms": at("checkpointedMs", 50),
    "on L1, p95, ms": at("checkpointedMs", 95),
    "tx/s": Number(load.perSecond.toFixed(2)),
    txs: load.txs,
    blocks: load.blocks,
    "generator's CPU": Number(load.generatorCpu.toFixed(3)),
    refused: load.refused,
    perMinute: load.perMinute,
    latencies: singles,
  };
}

/** Compares the same transfers on our local network and on the reference's, one after the other on the same machine. */
export function localNetworkSuite(given: Partial<LocalNetworkOptions> = {}): Suite {
  return async ({ quick, reference, progress }) => {
    const options = { ...(quick ? QUICK : reference === undefined ? ALONE : USUAL), ...given };
    const ours = () => measured(startOwnNetwork, options, (text) => progress(`ours: ${text}`));
    if (reference === undefined) {
      const runs: Measured[] = [];
      for (let i = 0; i < options.repeats; i++) runs.push(await ours());
      const figures: Figure[] = [
        { kind: "figure", row: "tx-latency", name: "time", unit: "ms", values: runs.map(latency) },
        { kind: "figure", row: "tx-rate", name: "rate", unit: "/s", values: runs.map(({ load }) => load.perSecond) },
      ];
      return {
        measurements: figures,
        tables: [{ title: "local network", rows: runs.map((run) => tableRow("ours", run)) }],
      };
    }
    const theirs = () =>
      measured(
        () => startReferenceNetwork(reference),
        options,
        (text) => progress(`reference: ${text}`),
      );
    const pairs = await inPairs(options.repeats, ours, theirs);
    const sides = (of: (run: Measured) => number) =>
      pairs.map((pair) => ({ ours: of(pair.ours), theirs: of(pair.theirs) }));
    const measurements: Comparison[] = [
      { kind: "comparison", row: "tx-latency", peer: "network", unit: "ms", better: "less", pairs: sides(latency) },
      {
        kind: "comparison",
        row: "tx-rate",
        peer: "network",
        unit: "/s",
        better: "more",
        pairs: sides(({ load }) => load.perSecond),
      },
    ];
    const rows = pairs.flatMap((pair) => [tableRow("ours", pair.ours), tableRow("reference", pair.theirs)]);
    return { measurements, tables: [{ title: "local networks", rows }] } satisfies SuiteResult;
  };
}
