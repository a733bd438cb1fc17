/**
 * Records a long chain of a local network with transfers, for suites that follow one (`bench/run.ts --long-chain DIR`):
 *
 *   node bench/long-chain.ts --folder DIR [--help]
 *
 * The folder then has the state of L1 for `anvil --load-state`, the blobs as a file store, and `chain.json`. About four
 * blocks are made a second. Needs `npm run build`.
 */
import { makeLongChain } from "./lib/long-chain.ts";
import { requiredOption, scriptOptions, wholeOption } from "./lib/script-options.ts";

const given = scriptOptions("bench/long-chain.ts", {
  folder: requiredOption("where the recording is kept", "DIR"),
  blocks: wholeOption("number of blocks", 2_000),
  "txs-per-block": wholeOption("most transactions of a block", 10),
});
const size = { blocks: given.blocks, txsPerBlock: given["txs-per-block"] };
const chain = await makeLongChain(given.folder, size, (text) => void process.stderr.write(`[long-chain] ${text}\n`));
process.stdout.write(`${JSON.stringify(chain, undefined, 2)}\n`);
