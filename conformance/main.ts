/**
 * Starts a node on the recorded chain, asks it everything the published client library can ask, and ends with what came
 * out.
 */
import "./quiet-library.ts";
import { BackendType, Barretenberg, BarretenbergSync } from "@aztec/bb.js";
import { goldenCases, NodeProcess, startRecordedL1 } from "../test/conformance/recorded-node.ts";
import { checkAdmin } from "./admin.ts";
import { askFurther, askRecorded, checkBatches, checkVersions } from "./public.ts";
import { Report } from "./report.ts";

// The library hashes with native code by default, which wants a newer C library than some systems have. Its WebAssembly
// would first download parameters for proofs; hashes need none.
Barretenberg.prototype.initSRSChonk = () => Promise.resolve();
await Barretenberg.initSingleton({ backend: BackendType.Wasm, threads: 1 });
await BarretenbergSync.initSingleton({ backend: BackendType.Wasm });

const started = Date.now();
const report = new Report();
const l1 = await startRecordedL1();
try {
  const node = await NodeProcess.start(l1);
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
// The library keeps timers of its own; nothing of this run is left to wait for.
process.exit(report.failed > 0 ? 1 : 0);
