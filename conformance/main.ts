/**
 * Starts a node on the recorded chain, calls it with every method of the published client library, and prints a report.
 */
import "./quiet-library.ts";
import "./wasm-backend.ts";
import { goldenCases, NodeProcess, startRecordedL1 } from "../test/world/node/recorded-node.ts";
import { checkAdmin } from "./admin.ts";
import { askFurther, askRecorded, checkBatches, checkVersions } from "./public.ts";
import { RELEASE } from "./release.ts";
import { Report } from "./report.ts";

const started = Date.now();
const report = new Report();
const l1 = await startRecordedL1();
try {
  const node = await NodeProcess.start(l1, undefined, { SVC_RPC_REVERT_WORDS: RELEASE });
  try {
    await node.ready();
    const golden = goldenCases();
    await askRecorded(node.url, golden, report);
    await askFurther(node.url, golden, report);
    await checkBatches(node.url, report);
    await checkVersions(node.url, report);
    await checkAdmin(node, report);
  } finally {
    await node.remove();
  }
} finally {
  l1.stop();
}
process.stdout.write(`${report.text()} in ${Math.round((Date.now() - started) / 1000)} s\n`);
// Exit explicitly: the library's timers would keep the process alive.
process.exit(report.failed > 0 ? 1 : 0);
