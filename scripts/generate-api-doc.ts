/** Writes docs/api.md from the registry of methods; with --check only compares, and fails when it is not current. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicRegistry } from "../src/rpc/methods/public-registry.ts";
import type { NodeServices } from "../src/rpc/methods/services.ts";
import { apiDocument } from "../src/rpc/openrpc/api-document.ts";
import { openRpcDocument } from "../src/rpc/openrpc/document.ts";

/** No method is called here, so its services are only names. */
const services = new Proxy({}, { get: () => ({}) }) as NodeServices;

const registry = publicRegistry(services);
const wanted = apiDocument([
  { title: "Public listener: `svc_`", document: openRpcDocument(registry, ["svc"]) },
  { title: "Public listener: `node_`", document: openRpcDocument(registry, ["node"]) },
]);
const file = join(import.meta.dirname, "..", "docs", "api.md");
if (process.argv.includes("--check")) {
  let current = "";
  try {
    current = readFileSync(file, "utf8");
  } catch {
    // Absent counts as not current.
  }
  if (current !== wanted) {
    process.stderr.write("docs/api.md is not what the registry of methods says: run npm run docs\n");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}
