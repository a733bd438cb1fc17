import { parseArgs } from "node:util";
import { LIES, type LieRow } from "../../world/l1/lies.ts";
import { type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";
import { nodeTrial } from "./node-trial.ts";

const USAGE = `node test/conformance/hostile-l1/run.ts [options]

Starts a node process for each lie of an L1 endpoint. The lie is told while the node starts and again while it runs.
Prints the outcome of the start, the peak resident memory and the time until the node followed L1 again. Exits with 1
when a trial fails.

  --seconds N   duration of each lie (30)
  --only TEXT   only lies whose name contains TEXT
  --help`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

async function tryOne(row: LieRow, l1: RecordedL1, lieMs: number): Promise<boolean> {
  try {
    const { start, said, peakBytes, healedMs } = await nodeTrial(row, l1, { lieMs, healedWithinMs: 120_000 });
    const healed = healedMs === undefined ? "" : `${(healedMs / 1000).toFixed(1)} s`;
    console.log(`${row.name} | ${start} | ${(peakBytes / 2 ** 20).toFixed(0)} MiB | ${healed} | ${said.join(" ")}`);
    return true;
  } catch (error) {
    console.log(`${row.name} | FAILED | ${(error as Error).message}`);
    return false;
  }
}

if (values.help) {
  console.log(USAGE);
} else {
  const l1 = await startRecordedL1();
  try {
    for (const row of LIES.filter(({ name }) => name.includes(values.only))) {
      if (!(await tryOne(row, l1, Number(values.seconds) * 1000))) process.exitCode = 1;
    }
  } finally {
    l1.stop();
  }
}
