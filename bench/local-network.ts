/**
 * Latency and rate of transactions on a local network, ours and, where it is installed, the reference's:
 *
 *   node bench/local-network.ts [--minutes N] [--singles N] [--outstanding N] [--repeats N] [--quick] [--reference-home DIR] [--no-save]
 *
 * The same public transfers are sent to both, one network after the other. Latency is that of txs sent one by one, from sendTx to the receipt that
 * the released client waits for ("checkpointed"); the rate is what came on L1 in the given minutes (10) while a number of txs is kept outstanding.
 * Needs `npm run build`.
 */
import { parseArgs } from "node:util";
import { LargeStateOnDemand } from "./lib/large-state.ts";
import { MOST_BUSY, machineFacts } from "./lib/machine.ts";
import type { Run } from "./lib/measurement.ts";
import { Reference } from "./lib/reference.ts";
import { resultDocument } from "./lib/result-table.ts";
import { saveRun } from "./lib/save-run.ts";
import { type LocalNetworkOptions, localNetworkSuite } from "./suites/local-network.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    singles: { type: "string" },
    outstanding: { type: "string" },
    repeats: { type: "string" },
    quick: { type: "boolean", default: false },
    "reference-home": { type: "string" },
    "no-save": { type: "boolean", default: false },
  },
});

const options: Partial<LocalNetworkOptions> = values.quick ? {} : { minutes: 10 };
for (const name of ["minutes", "singles", "outstanding", "repeats"] as const) {
  const text = values[name];
  if (text === undefined) continue;
  const number = Number(text);
  if (!(number > 0)) throw new RangeError(`--${name} must be a number above 0, got ${text}`);
  options[name] = number;
}

const { quick } = values;
const home = values["reference-home"];
const reference = home === undefined ? undefined : new Reference(home);
const startedAt = new Date().toISOString();
const begun = performance.now();
const machine = await machineFacts();
const warnings =
  machine.busyBefore > MOST_BUSY
    ? [`the machine is not idle: others use ${Math.round(machine.busyBefore * 100)} % of it; the figures say little`]
    : [];
const progress = (text: string): void => void process.stderr.write(`[local-network] ${text}\n`);
for (const warning of warnings) progress(warning);
const result = await localNetworkSuite(options)({
  quick,
  repeats: options.repeats ?? 1,
  seconds: 0,
  reference,
  largeState: new LargeStateOnDemand(true, progress),
  progress,
});
const seconds = (performance.now() - begun) / 1000;
const run: Run = {
  startedAt,
  seconds,
  quick,
  withReference: reference !== undefined,
  machine,
  warnings,
  suites: { "local-network": { ...result, seconds } },
  failures: {},
};
process.stdout.write(resultDocument(run));
if (!values["no-save"]) progress(`saved in ${saveRun(run, false)}`);
