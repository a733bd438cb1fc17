import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** Bodies below this size go out as they are (docs/protocol/05-rpc.md#57-headers-and-compression). */
export const COMPRESSION_THRESHOLD = 1024;
/** Up to here compressing takes less than handing the work to another thread. */
const SYNCHRONOUS_BYTES = 8 * 1024;

/** Hash text hardly compresses beyond its digits, whatever the effort. */
const GZIP_OPTIONS = { level: 1 };

interface Compression {
  name: string;
  now(body: Uint8Array): Uint8Array;
  later(body: Uint8Array): Promise<Uint8Array>;
}

function compressions(): Compression[] {
  const [gzip, deflate] = [promisify(zlib.gzip), promisify(zlib.deflate)];
  const list: Compression[] = [
    {
      name: "gzip",
      now: (body) => zlib.gzipSync(body, GZIP_OPTIONS),
      later: (body) => gzip(body, GZIP_OPTIONS),
    },
    {
      name: "deflate",
      now: (body) => zlib.deflateSync(body, GZIP_OPTIONS),
      later: (body) => deflate(body, GZIP_OPTIONS),
    },
  ];
  // Node.js has zstd from 22.15 on; older ones are supported without it.
  if (typeof zlib.zstdCompress === "function") {
    const zstd = promisify(zlib.zstdCompress);
    const options = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };
    list.unshift({
      name: "zstd",
      now: (body) => zlib.zstdCompressSync(body, options),
      later: (body) => zstd(body, options),
    });
  }
  return list;
}

/** In order of preference. */
const COMPRESSIONS = compressions();

/** The compression to use for a client's Accept-Encoding, by the server's preference; undefined for none. */
export function acceptedCompression(acceptEncoding: string): Compression | undefined {
  if (acceptEncoding === "") return undefined;
  const accepted = new Set<string>();
  for (const entry of acceptEncoding.toLowerCase().split(",")) {
    const [name, ...parameters] = entry.split(";").map((part) => part.trim());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (!refused) accepted.add(name);
  }
  return (
    COMPRESSIONS.find(({ name }) => accepted.has(name)) ??
    (accepted.has("*") ? COMPRESSIONS.find(({ name }) => name === "gzip") : undefined)
  );
}

/** Compresses at once or on another thread, by size. */
export function compress(compression: Compression, body: Uint8Array): Uint8Array | Promise<Uint8Array> {
  return body.length <= SYNCHRONOUS_BYTES ? compression.now(body) : compression.later(body);
}
