import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ObjectStoreUrlError } from "../../../src/storage/objects/errors.ts";
import { FileObjects } from "../../../src/storage/objects/file-objects.ts";
import { unpacked, unpackedStream } from "../../../src/storage/objects/gunzip.ts";
import { openObjectReader, openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { cut } from "../../../src/storage/objects/pieces.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-file-objects-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function* stream(...pieces: (string | Uint8Array)[]) {
  for (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("a file store", () => {
  test.each([
    ["/proc/self", "/proc is no storage"],
    ["/proc/self/new/folder", "/proc is no storage"],
    ["/sys/kernel", "/sys is no storage"],
    ["/dev", "/dev is no storage"],
    ["/dev/null/store", "/dev is no storage"],
  ])("a file store in %s is refused at once", (path, rule) => {
    expect(() => openObjectStore(`file://${path}`)).toThrow(ObjectStoreUrlError);
    expect(() => openObjectStore(`file://${path}`)).toThrow(`objects cannot be stored there: ${rule} (file://${path})`);
  });

  test("a file store below a file, a socket or a link to /proc is refused at once", async () => {
    writeFileSync(join(root, "file"), "");
    symlinkSync("/proc/self", join(root, "link"));
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    expect(() => openObjectStore(`file://${root}/file/store`)).toThrow("is not a folder");
    expect(() => openObjectStore(`file://${root}/socket`)).toThrow("is not a folder");
    expect(() => openObjectStore(`file://${root}/link`)).toThrow("/proc is no storage");
    server.close();
  });

  test("a write fails if the system refuses to make folders", async () => {
    const store = new FileObjects("/proc/self");
    await expect(store.put("a/b/c", Buffer.from("x"))).rejects.toThrow(
      "object store file:///proc/self: cannot write a/b/c: its file cannot be written (ENOENT)",
    );
  });

  test("a file store returns what was written, whole or as a stream", async () => {
    const store = openObjectStore(`file://${root}/deep/er/`);
    expect(await store.get("a/b")).toBeUndefined();
    expect(await store.open("a/b")).toBeUndefined();
    await store.put("a/b", stream("one ", "two"));
    expect(Buffer.from((await store.get("a/b"))!).toString()).toBe("one two");
    expect(await store.has("a/b")).toBe(true);
    expect(await store.has("a")).toBe(false);
    const body = await store.open("a/b");
    expect(body?.size).toBe(7);
    expect((await whole(body!.pieces)).toString()).toBe("one two");
    await store.put("a/b", Buffer.from("three"));
    expect(readdirSync(join(root, "deep/er/a"))).toEqual(["b"]);
  });

  test("a file store keeps the old object and nothing else if the new one's source fails", async () => {
    const store = openObjectStore(`file://${root}`);
    await store.put("a", Buffer.from("old"));
    async function* failing() {
      yield Buffer.from("half");
      throw new RangeError("cut");
    }
    await expect(store.put("a", failing())).rejects.toThrow(RangeError);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("old");
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("errors of a file store name store, operation, object and rule", async () => {
    writeFileSync(join(root, "file"), "x".repeat(100));
    const store = openObjectStore(`file://${root}`);
    await expect(store.put("file/below", Buffer.from("x"))).rejects.toMatchObject({
      store: `file://${root}`,
      operation: "write",
      key: "file/below",
      rule: "its file cannot be written (EEXIST)",
    });
    await expect(store.get("file", { maxBytes: 99 })).rejects.toThrow(/it has 100 bytes, 99 are allowed/);
    mkdirSync(join(root, "folder"));
    expect(await store.get("folder")).toBeUndefined();
  });
});

describe("a store URL", () => {
  test.each(["ftp://host/x", "blobs", "file://host/path", "s3://bucket/x?endpoint=nonsense", "s3:///x", "gs:///x"])(
    "the store URL %s is refused",
    (url) => {
      expect(() => openObjectReader(url)).toThrow(ObjectStoreUrlError);
      expect(() => openObjectStore(url)).toThrow(ObjectStoreUrlError);
    },
  );

  test("a store URL of an unknown kind is named in the error, with the supported kinds", () => {
    expect(() => openObjectReader("ftp://user:secret@host/x")).toThrow(
      /^Unknown file store config: 'ftp:\/\/host\/\[Redacted\]'\. Supported values are file:/,
    );
  });

  test.each([
    ["https://host/x", /can only be read/],
    ["s3://bucket/x", /needs AWS_ACCESS_KEY_ID/],
    ["gs://bucket/x", /needs GOOGLE_APPLICATION_CREDENTIALS/],
  ])("the store at %s cannot be written to", (url, rule) => {
    expect(() => openObjectStore(url)).toThrow(rule);
    openObjectReader(url);
  });
});

describe("gzip detection", () => {
  const content = Buffer.from("content ".repeat(100_000));
  const packed = gzipSync(content);

  test("gzip is detected by its first bytes and unpacked, and other content is unchanged", async () => {
    expect(Buffer.from(unpacked(packed, content.length)).equals(content)).toBe(true);
    expect(unpacked(content, 1)).toBe(content);
    expect((await whole(unpackedStream(stream(packed.subarray(0, 1), packed.subarray(1))))).equals(content)).toBe(true);
    expect((await whole(unpackedStream(stream(content)))).equals(content)).toBe(true);
    expect((await whole(unpackedStream(stream()))).length).toBe(0);
    expect((await whole(unpackedStream(stream("x")))).toString()).toBe("x");
  });

  test("gzip that is cut, altered or too long is refused", async () => {
    expect(() => unpacked(packed, content.length - 1)).toThrow();
    await expect(whole(unpackedStream(stream(packed.subarray(0, -5))))).rejects.toThrow();
    const altered = Buffer.from(packed);
    altered[altered.length - 6] ^= 1;
    await expect(whole(unpackedStream(stream(altered)))).rejects.toThrow();
  });

  test("unpacking gzip throws the errors of its source", async () => {
    async function* failing() {
      yield packed.subarray(0, 100);
      throw new RangeError("the source is cut");
    }
    await expect(whole(unpackedStream(failing()))).rejects.toThrow(RangeError);
  });
});

test.each([1, 3, 4, 7, 100])("cutting a stream gives pieces of %d bytes, only the last shorter", async (size) => {
  const sizes: number[] = [];
  const parts: Uint8Array[] = [];
  for await (const { bytes, last } of cut(stream("abc", "", "defg", "hijkl"), size)) {
    sizes.push(bytes.length);
    parts.push(bytes);
    expect(last).toBe(Buffer.concat(parts).length === 12);
  }
  expect(Buffer.concat(parts).toString()).toBe("abcdefghijkl");
  expect(sizes.slice(0, -1).every((length) => length === size)).toBe(true);
});
