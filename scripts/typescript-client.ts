/**
 * Writes a TypeScript client for the node at a URL to standard output:
 *
 *     node scripts/typescript-client.ts http://127.0.0.1:8080 > node-client.ts
 *
 * With - instead of a URL it reads the description, the result of rpc.discover, from standard input. That allows a
 * client for the admin listener, whose description needs a key.
 */
import { readFileSync } from "node:fs";
import type { OpenRpcDocument } from "../src/rpc/openrpc/document.ts";
import { typescriptClient } from "./typescript-types.ts";

async function discovered(url: string): Promise<OpenRpcDocument> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "rpc.discover", params: [] }),
  });
  const { result } = (await response.json()) as { result?: OpenRpcDocument };
  if (result === undefined) throw new TypeError(`${url} answers rpc.discover without a result`);
  return result;
}

const [, , source] = process.argv;
if (source === undefined) {
  process.stderr.write("usage: node scripts/typescript-client.ts URL|-\n");
  process.exitCode = 2;
} else {
  const document = source === "-" ? (JSON.parse(readFileSync(0, "utf8")) as OpenRpcDocument) : await discovered(source);
  process.stdout.write(typescriptClient(document));
}
