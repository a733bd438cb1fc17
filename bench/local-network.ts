/**
 * Latency and rate of transactions on our local network and, where it is installed, on the reference's:
 *
 *   node bench/local-network.ts [--help]
 *
 * Both get the same public transfers, one network after the other. Latency is measured on txs sent one by one, from
 * sendTx to the receipt that the released client waits for ("checkpointed"). The rate counts the txs that reach L1 in
 * the given minutes (10), while a constant number of txs is outstanding. Needs `npm run build`.
 */
import { MAX_BUSY, machineFacts } from "./lib/machine.ts";
import type { Run } from "./lib/measurement.ts";
import { Reference } from "./lib/reference.ts";
import { resultDocument } from "./lib/result-table.ts";
import { saveRun } from "./lib/save-run.ts";
import { flagOption, REFERENCE_HOME, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { StatesOnDemand } from "./lib/states-on-demand.ts";
import { type LocalNetworkOptions, localNetworkSuite } from "./suites/local-network.ts";

const {
  quick,
  "reference-home": home,
  "no-save": printsOnly,
  ...given
} = scriptOptions("bench/local-network.ts", {
  minutes: wholeOption("length of the sustained load; 10 unless --quick"),
  singles: wholeOption("txs sent one by one"),
  outstanding: wholeOption("txs that are kept sent and not yet on L1"),
  repeats: wholeOption("pairs of networks"),
  quick: flagOption("small sizes, to see that everything works"),
  "reference-home": REFERENCE_HOME,
  "no-save": flagOption("print without saving"),
});
const named = Object.entries(given).filter(([, value]) => value !== undefined);
const options: Partial<LocalNetworkOptions> = { ...(quick ? {} : { minutes: 10 }), ...Object.fromEntries(named) };

const reference = home === undefined ? undefined : new Reference(home);
const startedAt = new Date().toISOString();
const begun = performance.now();
const machine = await machineFacts();
const warnings =
  machine.busyBefore > MAX_BUSY
    ? [`the machine is not idle: others use ${Math.round(machine.busyBefore * 100)} % of it; the figures say little`]
    : [];
const progress = (text: string): void => void process.stderr.write(`[local-network] ${text}\n`);
for (const warning of warnings) progress(warning);
const result = await localNetworkSuite(options)({
  quick,
  repeats: options.repeats ?? 1,
  seconds: 0,
  reference,
  states: new StatesOnDemand([], true, progress),
  longChain: undefined,
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
if (!printsOnly) progress(`saved in ${saveRun(run)}`);
