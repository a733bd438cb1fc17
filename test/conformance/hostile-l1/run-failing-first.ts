import { parseArgs } from "node:util";
import { LIES } from "../../world/l1/lies.ts";
import { startRecordedL1 } from "../../world/node/recorded-node.ts";
import { failingFirst } from "./failing-first.ts";

const USAGE = `node test/conformance/hostile-l1/run-failing-first.ts [options]

Starts a node with two L1 endpoints, the first of which fails, and prints how long it takes to start, to process L1
blocks, to give fees and to say that it is not ready, and what a client of the node sees meanwhile.

  --lie TEXT      the lies whose name contains TEXT ("never answers")
  --seconds N     limit for each wait (240)
  --help`;

const { values } = parseArgs({
  options: {
    lie: { type: "string", default: "never answers" },
    seconds: { type: "string", default: "240" },
    help: { type: "boolean", default: false },
  },
});

const shown = (value: number | undefined) =>
  value === undefined ? `over ${values.seconds} s` : `${value.toFixed(1)} s`;

if (values.help) {
  console.log(USAGE);
} else {
  const l1 = await startRecordedL1();
  try {
    for (const { name, lie } of LIES.filter((row) => row.name.includes(values.lie))) {
      const seen = await failingFirst(lie, l1, { limitMs: Number(values.seconds) * 1000 });
      console.log(`a first L1 endpoint that ${name}, and a second that is well
  port open after the start     ${shown(seen.port)}
  ready after the start         ${shown(seen.ready)}
  first new L1 block processed  ${shown(seen.firstBlock)}
  next L1 block processed       ${shown(seen.laterBlock)}
  slowest answer with fees      ${shown(seen.slowestFees)} (${seen.failedFees} errors)
  both fail: /ready is 503      ${shown(seen.unready)}
  both are well: ready again    ${shown(seen.healed)}
  client: p99 of block number   ${seen.clientP99Ms.toFixed(1)} ms
  peak memory                   ${seen.peakMiB.toFixed(0)} MiB`);
    }
  } finally {
    l1.stop();
  }
}
