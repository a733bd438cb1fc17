/**
 * Starts a node on the recorded chain, calls it with every method of the published client library, and prints a report.
 */
import "./quiet-library.ts";
import { BackendType, Barretenberg, BarretenbergSync } from "@aztec/bb.js";
import { goldenCases, NodeProcess, startRecordedL1 } from "../test/conformance/recorded-node.ts";
import { checkAdmin } from "./admin.ts";
import { askFurther, askRecorded, checkBatches, checkVersions } from "./public.ts";
import { RELEASE } from "./release.ts";
import { Report } from "./report.ts";

// The library's native code needs a newer C library than some systems have, so hash with WebAssembly. Skip its download
// of proof parameters, which hashes do not need.
Barretenberg.prototype.initSRSChonk = () => Promise.resolve();
await Barretenberg.initSingleton({ backend: BackendType.Wasm, threads: 1 });
await BarretenbergSync.initSingleton({ backend: BackendType.Wasm });

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
