import { join } from "node:path";
import type { Figure, SuiteResult } from "../lib/measurement.ts";
import { forgetPages } from "../lib/node-store.ts";
import { launchOwnNode, RECORDED_BLOCKS, type RecordedL1, startRecordedL1 } from "../lib/recorded-nodes.ts";
import { cpuTimeOf } from "../lib/server-process.ts";
import type { NodeState } from "../lib/states-on-demand.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES } from "../lib/targets.ts";
import { answerTo, call } from "../lib/wrk.ts";

/** Of no leaf. */
const KEY = "0x1212121212121212121212121212121212121212121212121212121212121212";
const row = "start";

interface Started {
  seconds: number;
  cpuSeconds: number;
}

/** Starts a node, waits for the first witness, and stops it. */
async function startedOnce(l1: RecordedL1, { directory }: NodeState): Promise<Started> {
  const body = call("node_getLowNullifierMembershipWitness", [RECORDED_BLOCKS, KEY]);
  const { url, process: node } = await launchOwnNode(l1, { flags: ["--data-directory", directory] });
  try {
    await node.until(async () => ((await answerTo(url, body).catch(() => undefined)) === undefined ? undefined : true));
    return { seconds: (performance.now() - node.startedAt) / 1000, cpuSeconds: cpuTimeOf(node.pid) / 1000 };
  } finally {
    await node.stop();
  }
}

/** From the start of a node's process, on an existing data directory with a large store, to its first witness. */
export async function startSuite({ repeats, states, progress }: SuiteContext): Promise<SuiteResult> {
  const state = await states.node();
  const l1 = await startRecordedL1();
  try {
    progress("first start, not counted: it fills the L1's caches");
    await startedOnce(l1, state);
    progress("starts");
    const warm: Started[] = [];
    const cold: Started[] = [];
    for (let i = 0; i < repeats; i++) {
      warm.push(await startedOnce(l1, state));
      forgetPages(join(state.chain, "data.mdb"));
      cold.push(await startedOnce(l1, state));
    }
    const figure = (name: string, values: number[], note?: string): Figure => ({
      ...{ kind: "figure", row, name, unit: "s", values },
      ...(note !== undefined && { note }),
    });
    return {
      measurements: [
        figure(
          FIGURES.firstWitness,
          warm.map(({ seconds }) => seconds),
          "L1 is on the same machine",
        ),
        figure(
          "CPU time of its process until then",
          warm.map(({ cpuSeconds }) => cpuSeconds),
        ),
        figure(
          "the same, none of the store's pages in memory",
          cold.map(({ seconds }) => seconds),
        ),
      ],
    };
  } finally {
    l1.stop();
  }
}
