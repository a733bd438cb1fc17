/**
 * Asks a node on a v5 rollup everything that was recorded of another node on it, through each API, and prints how many
 * answers are equal, and what differs in those that are not:
 *
 *   node test/rpc/live/recorded-v5-answers.ts ANSWERS URL [METHOD]
 *
 * ANSWERS has a case a line, `{method, params, status, result or error}`, compressed by gzip or brotli. The node has to
 * keep all states (WS_NUM_HISTORIC_CHECKPOINTS=0) where the recorded one did. Exit code 1 when an answer differs.
 */
import { askRecorded } from "../../world/rpc/ask-recorded.ts";
import { readCases } from "../../world/rpc/recorded-v5-answers.ts";

const [file, url, only] = process.argv.slice(2);
if (url === undefined) throw new Error("usage: recorded-v5-answers.ts ANSWERS URL [METHOD]");
const cases = readCases(file).filter(({ method }) => only === undefined || method === only);

for (const namespace of ["aztec", "svc", "node"]) {
  const { equal, known, different } = await askRecorded(url, namespace, cases, console.log);
  if (different > 0) process.exitCode = 1;
  console.log(
    `${namespace}_: of ${cases.length} answers ${equal} equal, ${known} equal but for known differences, ` +
      `${different} different`,
  );
}
