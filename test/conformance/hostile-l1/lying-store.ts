import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import snappy from "snappy";
import * as bodies from "../../world/l1/bodies.ts";

export interface BlobFields {
  blob: string;
  kzg_commitment: string;
}

/** Answers a request for a blob wrongly. `file` is the requested file, `other` that of another blob. */
export type StoreLie = (response: ServerResponse, files: { file: Buffer; other: Buffer }) => void;

/** Serves the blobs of a folder over HTTP, unchanged until `lie` is set. */
export class LyingStore {
  lie: StoreLie | undefined;
  lies = 0;
  readonly #folder: string;
  readonly #server: Server;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer(({ url = "" }, response) => this.#give(url, response));
  }

  static async over(folder: string): Promise<LyingStore> {
    const store = new LyingStore(folder);
    await new Promise<void>((resolve) => store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #give(path: string, response: ServerResponse): void {
    const name = join(this.#folder, path);
    if (!existsSync(name)) return void response.writeHead(404).end();
    const file = readFileSync(name);
    if (this.lie === undefined) return void response.writeHead(200).end(file);
    this.lies++;
    const folder = join(name, "..");
    const others = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const another = others.map((entry) => join(folder, entry.name)).find((file) => file !== name);
    this.lie(response, { file, other: another === undefined ? file : readFileSync(another) });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

const content =
  (change: (files: { file: Buffer; other: Buffer }) => string | Uint8Array): StoreLie =>
  (response, files) =>
    void response.writeHead(200).end(change(files));
const fields = (file: Buffer): BlobFields => {
  const text = snappy.uncompressSync(file, { asBuffer: false }) as string;
  return text.startsWith("{") ? JSON.parse(text) : { blob: "", kzg_commitment: "" };
};
const packed = (value: unknown) => snappy.compressSync(JSON.stringify(value));
const changed = (change: (given: BlobFields, other: BlobFields) => unknown): StoreLie =>
  content(({ file, other }) => (isBlob(file) ? packed(change(fields(file), fields(other))) : file));
const isBlob = (file: Buffer) => file.length > 100;
const flipped = (text: string, at: number) => text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);
const respond =
  (given: bodies.Respond): StoreLie =>
  (response, { file }) =>
    given(response, file);

/** Lies of a blob store; `name` continues the phrase "a blob store that ...". */
export const STORE_LIES: readonly { name: string; lie: StoreLie }[] = [
  { name: "gives another blob", lie: content(({ other }) => other) },
  { name: "gives the data of another blob", lie: changed((own, other) => ({ ...own, blob: other.blob })) },
  { name: "flips a bit of the data", lie: changed((own) => ({ ...own, blob: flipped(own.blob, 70) })) },
  {
    name: "flips a bit of the commitment",
    lie: changed((own) => ({ ...own, kzg_commitment: flipped(own.kzg_commitment, 50) })),
  },
  { name: "gives data of zeros", lie: changed((own) => ({ ...own, blob: `0x${"0".repeat(262_144)}` })) },
  {
    name: "gives words above the field's modulus",
    lie: changed((own) => ({ ...own, blob: `0x${"f".repeat(262_144)}` })),
  },
  { name: "cuts the data", lie: changed((own) => ({ ...own, blob: own.blob.slice(0, -64) })) },
  { name: "leaves the commitment out", lie: changed(({ blob }) => ({ blob })) },
  { name: "gives null", lie: changed(() => null) },
  { name: "cuts the file", lie: content(({ file }) => file.subarray(0, file.length / 2)) },
  { name: "gives an empty file", lie: content(() => "") },
  { name: "gives the file twice", lie: content(({ file }) => Buffer.concat([file, file])) },
  { name: "gives ten megabytes", lie: content(() => Buffer.alloc(10_000_000)) },
  { name: "gives JSON that is not packed", lie: content(() => "{}") },
  { name: "gives HTML", lie: content(() => "<html><body>Sign in</body></html>") },
  {
    name: "gives a block that says it unpacks to gigabytes",
    lie: content(() => Buffer.from([255, 255, 255, 255, 15, 0])),
  },
  { name: "gives a bomb of gzip", lie: content(() => gzipSync(Buffer.alloc(50_000_000))) },
  { name: "gives a bomb of gzip as the encoding", lie: respond(bodies.bomb) },
  { name: "answers 403", lie: respond(bodies.status(403)) },
  { name: "answers 404", lie: respond(bodies.status(404)) },
  { name: "answers 429", lie: respond(bodies.status(429)) },
  { name: "answers 500", lie: respond(bodies.status(500)) },
  { name: "redirects in a circle", lie: respond(bodies.status(302, { location: "?again" })) },
  { name: "redirects to a file", lie: respond(bodies.status(302, { location: "file:///etc/passwd" })) },
  { name: "redirects to nowhere", lie: respond(bodies.status(302, { location: "http://127.0.0.1:9/" })) },
  { name: "closes every connection", lie: respond(bodies.closes) },
  { name: "closes connections within the file", lie: respond(bodies.closesWithin) },
  { name: "breaks its chunks", lie: respond(bodies.brokenChunks) },
  { name: "drips", lie: respond(bodies.drips) },
  { name: "never answers", lie: respond(bodies.hangs) },
  { name: "never ends", lie: respond(bodies.endless(Buffer.alloc(65_536))) },
];
