import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killLocalNetwork } from "./support/kills.ts";

/** Long form of kills.test.ts: `node test/local-network/kill-script.ts [kills]` prints the counts. */
const folder = mkdtempSync(join(tmpdir(), "svc-kills-"));
try {
  console.log(
    JSON.stringify(await killLocalNetwork(join(folder, "data"), Number(process.argv[2] ?? 20)), undefined, 2),
  );
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
