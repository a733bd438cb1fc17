/**
 * Sync of a long synthetic chain by tenths: `node bench/synthetic-sync.ts [--help]`. Needs `npm run build`.
 */
import { scriptOptions, wholeOption } from "./lib/script-options.ts";
import { syntheticSyncSuite } from "./suites/synthetic-sync.ts";

const given = scriptOptions("bench/synthetic-sync.ts", {
  checkpoints: wholeOption("checkpoints of the chain", 20_000),
  "txs-per-block": wholeOption("transactions of each", 4),
});
const suite = syntheticSyncSuite({ checkpoints: given.checkpoints, txsPerBlock: given["txs-per-block"] });
const { measurements, tables, notes } = await suite({
  quick: false,
  progress: (text) => void process.stderr.write(`[synthetic-sync] ${text}\n`),
});
for (const { rows } of tables ?? []) console.table(rows);
process.stdout.write(`${JSON.stringify({ measurements, notes })}\n`);
