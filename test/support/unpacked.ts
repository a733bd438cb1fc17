import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** Text of a file that is compressed by brotli (.br) or gzip. */
export function unpacked(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".br") ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString("utf8");
}
