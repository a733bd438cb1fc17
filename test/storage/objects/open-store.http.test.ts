import { createVerify, generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { ObjectStoreError, ObjectStoreUrlError } from "../../../src/storage/objects/errors.ts";
import { GcsObjects } from "../../../src/storage/objects/gcs-objects.ts";
import type { ObjectBody } from "../../../src/storage/objects/object-store.ts";
import { ObjectTransport } from "../../../src/storage/objects/object-transport.ts";
import { openObjectReader, openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { S3Objects } from "../../../src/storage/objects/s3-objects.ts";
import { signS3 } from "../../../src/storage/objects/s3-signature.ts";
import { BucketServer } from "../../world/storage/bucket-server.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-objects-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let bucket: BucketServer;
beforeEach(async () => {
  bucket = await BucketServer.start();
});
afterEach(() => bucket.close());

const quick = { retryDelaysMs: [1, 1, 1], timeoutMs: 5_000 };
/** Time limit for servers that are silent or drip. On a busy machine it may affect other servers too. */
const impatient = { ...quick, timeoutMs: 150 };
const awsCredentials = { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "token" };
const s3Url = () => `s3://bucket/pre/fix?endpoint=${encodeURIComponent(bucket.url)}`;

async function read(body: ObjectBody | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body?.pieces ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an HTTP store", () => {
  test("an HTTP store reads objects below its path; 404 and 403 mean absence", async () => {
    bucket.objects.set("/base/a/b.data", { body: Buffer.from("content"), headers: {} });
    bucket.intercept = ({ url }, response) => {
      if (url.pathname !== "/base/secret") return false;
      response.writeHead(403).end();
      return true;
    };
    const reader = openObjectReader(`${bucket.url}/base/`, quick);
    expect(Buffer.from((await reader.get("a/b.data"))!).toString()).toBe("content");
    expect(await reader.has("a/b.data")).toBe(true);
    const body = await reader.open("a/b.data");
    expect(body?.size).toBe(7);
    expect((await read(body)).toString()).toBe("content");
    for (const key of ["none", "secret"]) {
      expect(await reader.get(key)).toBeUndefined();
      expect(await reader.has(key)).toBe(false);
      expect(await reader.open(key)).toBeUndefined();
    }
  });

  test("an HTTP store retries while the server fails, then names the store and object in the error", async () => {
    let failures = 3;
    bucket.objects.set("/x", { body: Buffer.from("x"), headers: {} });
    bucket.intercept = (_, response) => {
      if (failures-- <= 0) return false;
      response.writeHead(500).end();
      return true;
    };
    const withUser = bucket.url.replace("//", "//user:pass@");
    const reader = openObjectReader(`${withUser}/?key=secret`, quick);
    expect(await reader.get("x")).toBeDefined();
    expect(bucket.seen.length).toBe(4);
    expect(bucket.seen[0].headers.authorization).toBe(`Basic ${Buffer.from("user:pass").toString("base64")}`);
    failures = 4;
    const error = (await errorOf(reader.get("x"))) as ObjectStoreError;
    expect(error).toBeInstanceOf(ObjectStoreError);
    expect(error).toMatchObject({
      store: `${bucket.url}/[Redacted]`,
      operation: "read",
      key: "x",
      rule: "HTTP status 500",
    });
    expect(error.message).not.toMatch(/secret|pass/);
  });

  test("an HTTP store gives up a silent server, before the answer and within it", async () => {
    bucket.intercept = ({ url }, response) => {
      if (url.pathname === "/half") {
        response.writeHead(200, { "content-length": 10 });
        response.write("half");
      }
      return true;
    };
    const reader = openObjectReader(bucket.url, { ...impatient, retryDelaysMs: [1] });
    expect(await errorOf(reader.get("never"))).toMatchObject({ rule: "no complete answer within 150 ms" });
    expect(bucket.seen.length).toBe(1);
    expect(await errorOf(reader.open("half").then(read))).toMatchObject({
      rule: "the server was silent for 150 ms after 4 of 10 bytes",
    });
  });

  test("an HTTP store waits for a slow server as long as bytes arrive", async () => {
    bucket.intercept = (_, response) => {
      response.writeHead(200, { "content-length": 10 });
      let left = 10;
      const timer = setInterval(() => {
        response.write("z");
        if (--left === 0) {
          clearInterval(timer);
          response.end();
        }
      }, 400);
      return true;
    };
    expect(
      (await read(await openObjectReader(bucket.url, { ...quick, timeoutMs: 3_000 }).open("slow"))).toString(),
    ).toBe("zzzzzzzzzz");
  });

  test("an HTTP store gives up a dripping server, for objects and streams of any length", async () => {
    bucket.intercept = (_, response) => {
      response.writeHead(200, { "content-length": 2_000_000 });
      const timer = setInterval(() => response.write("z"), 10);
      response.once("close", () => clearInterval(timer));
      return true;
    };
    const reader = openObjectReader(bucket.url, impatient);
    const slow = { rule: expect.stringMatching(/^the server is too slow: \d+ bytes of the answer after \d+ ms/) };
    expect(await errorOf(reader.get("drip"))).toMatchObject(slow);
    expect(await errorOf(reader.open("drip").then(read))).toMatchObject(slow);
    // Neither object is requested again.
    expect(bucket.seen.length).toBe(2);
  });

  test("an HTTP store gives up writing to a server that drips its answer", async () => {
    bucket.intercept = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 10);
      response.once("close", () => clearInterval(timer));
      return true;
    };
    const short = { timeoutMs: 150, retryDelaysMs: [] };
    const s3 = openObjectStore(s3Url(), { ...short, awsCredentials });
    const gcs = openObjectStore("gs://bucket/x", { ...short, googleEndpoint: bucket.url });
    for (const store of [s3, gcs]) {
      expect(await errorOf(store.put("key", Buffer.from("content")))).toBeInstanceOf(ObjectStoreError);
    }
  });

  test("waiting for a slow access token stops when the caller stops", async () => {
    const transport = new ObjectTransport("gs://bucket", { timeoutMs: 60_000 }, () => new Promise(() => undefined));
    const gcs = new GcsObjects({ base: new URL(`${bucket.url}/bucket`), transport });
    const error = await errorOf(gcs.put("x", Buffer.from("x"), { signal: AbortSignal.timeout(20) }));
    expect(error).toMatchObject({ rule: "stopped by the caller" });
  });

  test("an HTTP store resumes where a connection broke, unless the object has changed", async () => {
    const content = randomBytes(3_000_000);
    bucket.objects.set("/big", { body: content, headers: {} });
    let breaks = 4;
    const breaking =
      (change: boolean): BucketServer["intercept"] =>
      (call, response) => {
        if (call.method !== "GET" || breaks-- <= 0) return false;
        const { end } = response;
        response.end = ((body: Buffer) => {
          response.write(body.subarray(0, 500_000), () => setTimeout(() => response.destroy(), 5));
          if (change) bucket.objects.set("/big", { body: randomBytes(3_000_000), headers: {} });
          response.end = end;
          return response;
        }) as typeof end;
        return false;
      };
    bucket.intercept = breaking(false);
    const reader = openObjectReader(bucket.url, quick);
    expect((await read(await reader.open("big"))).equals(content)).toBe(true);
    expect(bucket.seen.map(({ headers }) => headers.range)).toContain("bytes=500000-");
    breaks = 1;
    bucket.intercept = breaking(true);
    const changed = (await errorOf(reader.open("big").then(read))) as ObjectStoreError;
    expect(changed.rule).toMatch(/^cannot be resumed at byte \d+ \(HTTP status 200\)$/);
  });

  test.each([
    ["Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"],
    ["ETag", 'W/"1"'],
    ["X-Nothing", "1"],
  ])("an HTTP store without ranges (%s) sends an object that broke off from its start again", async (name, value) => {
    const content = randomBytes(3_000_000);
    let breaks = 2;
    let starts = 0;
    bucket.intercept = (_, response) => {
      starts++;
      response.writeHead(200, { "Content-Length": content.length, [name]: value });
      if (breaks-- > 0)
        response.write(content.subarray(0, 500_000 * starts), () => setTimeout(() => response.destroy(), 5));
      else response.end(content);
      return true;
    };
    const reader = openObjectReader(bucket.url, quick);
    expect((await read(await reader.open("big"))).equals(content)).toBe(true);
    expect(starts).toBe(3);
    [breaks, starts] = [9, 0];
    const error = (await errorOf(reader.open("big").then(read))) as ObjectStoreError;
    expect(error.rule).toMatch(/^cannot be resumed at byte \d+ \(HTTP status 200\)$/);
  });

  test("an HTTP store refuses an object that is longer than allowed", async () => {
    bucket.objects.set("/big", { body: Buffer.alloc(5000), headers: {} });
    const error = await errorOf(openObjectReader(bucket.url, quick).get("big", { maxBytes: 4000 }));
    expect(error).toMatchObject({ rule: "the answer is longer than 4000 bytes" });
  });

  test("an HTTP store stops when its caller does", async () => {
    bucket.intercept = () => true;
    const signal = AbortSignal.timeout(20);
    const error = await errorOf(openObjectReader(bucket.url, { timeoutMs: 60_000 }).get("x", { signal }));
    expect(error).toMatchObject({ rule: "stopped by the caller" });
  });
});

describe("a key that could lead out of the store's path", () => {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  test.each(["..", "%2e%2e", ".%2E", "..\\..", "%5C..", ".", "", "a b", "a?b", "a#b", "\u2025"])(
    "is refused by every kind of store before it asks: %j",
    async (segment) => {
      const short = { awsCredentials: credentials, googleEndpoint: bucket.url, ...quick };
      const stores = [
        openObjectReader(`${bucket.url}/prefix`, short),
        openObjectReader(`s3://bucket/prefix?endpoint=${encodeURIComponent(bucket.url)}`, short),
        openObjectReader("gs://bucket/prefix", short),
        openObjectReader("file:///prefix"),
      ];
      for (const store of stores) {
        for (const key of [`inputs/${segment}/secret`, segment]) {
          expect(await errorOf(store.get(key)), store.name).toBeInstanceOf(ObjectStoreError);
        }
      }
      expect(bucket.seen).toEqual([]);
    },
  );
});

describe("an S3 store", () => {
  const time = new Date("2013-05-24T00:00:00Z");
  const example = {
    credentials: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
    region: "us-east-1",
    now: time,
  };
  // The four examples of "Signature Calculations for the Authorization Header" in the S3 API reference.
  test.each([
    [
      { method: "GET", path: "/test.txt", headers: { range: "bytes=0-9" } },
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      {
        method: "PUT",
        path: "/test$file.text",
        headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        body: "Welcome to Amazon S3.",
      },
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    [
      { method: "GET", path: "/?lifecycle", headers: {} },
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      { method: "GET", path: "/?max-keys=2&prefix=J", headers: {} },
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ])("an S3 request is signed as in the API reference: %j", async ({ path, ...call }, signature) => {
    const url = new URL(path, "https://examplebucket.s3.amazonaws.com");
    const { authorization } = await signS3({ ...call, url }, example);
    expect(authorization).toMatch(new RegExp(`Signature=${signature}$`));
  });

  test("an S3 store with an endpoint uses path style and region auto, and does not sign reads of a public base", async () => {
    bucket.objects.set("/bucket/pre/fix/key.data", { body: Buffer.from("object"), headers: {} });
    bucket.objects.set("/cdn/pre/fix/key.data", { body: Buffer.from("public"), headers: {} });
    const text = async (url: string, access = {}) =>
      Buffer.from((await openObjectReader(url, { ...quick, ...access }).get("key.data"))!).toString();
    expect(await text(s3Url())).toBe("object");
    expect(await text(s3Url(), { awsCredentials })).toBe("object");
    const cdn = `${s3Url()}&publicBaseUrl=${encodeURIComponent(`${bucket.url}/cdn/`)}`;
    expect(await text(cdn, { awsCredentials })).toBe("public");
    const [plain, signed, unsigned] = bucket.seen.map(({ headers }) => headers);
    expect(plain.authorization).toBeUndefined();
    expect(signed.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/auto\/s3\/aws4_request,/);
    expect(signed["x-amz-security-token"]).toBe("token");
    expect(unsigned.authorization).toBeUndefined();
  });

  test("an S3 store writes a short object in one request, with type, caching and public access", async () => {
    const store = openObjectStore(s3Url(), { ...quick, awsCredentials });
    const options = { contentType: "application/json", cacheControl: "no-store", publicRead: true };
    await store.put("index.json", Buffer.from("{}"), options);
    const { body, headers } = bucket.objects.get("/bucket/pre/fix/index.json")!;
    expect(body.toString()).toBe("{}");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-amz-acl": "public-read",
      "content-length": "2",
    });
    expect(headers.authorization).toContain("x-amz-acl");
    expect(Buffer.from((await store.get("index.json"))!).toString()).toBe("{}");
  });

  test("an S3 store names the encoding of compressed content", async () => {
    const store = openObjectStore(s3Url(), { ...quick, awsCredentials });
    await store.put("packed", Buffer.from("x"), { contentEncoding: "gzip" });
    expect(bucket.objects.get("/bucket/pre/fix/packed")!.headers["content-encoding"]).toBe("gzip");
  });

  test("an S3 store writes without public access if the bucket does not support it", async () => {
    bucket.intercept = ({ headers }, response) => {
      if (headers["x-amz-acl"] === undefined) return false;
      response.writeHead(400).end("<Error><Code>AccessControlListNotSupported</Code></Error>");
      return true;
    };
    await openObjectStore(s3Url(), { ...quick, awsCredentials }).put("a", Buffer.from("a"), { publicRead: true });
    expect(bucket.objects.get("/bucket/pre/fix/a")?.body.toString()).toBe("a");
  });

  const multipart = () => {
    const transport = new ObjectTransport("s3://bucket", quick);
    return new S3Objects({ base: new URL(`${bucket.url}/bucket`), transport, partBytes: 100_000 });
  };

  test.each([0, 99_999, 100_000, 100_001, 200_000, 734_567])(
    "an S3 store writes %d bytes in parts of 100,000, which fit together, and repeats failed parts",
    async (size) => {
      let calls = 0;
      bucket.intercept = ({ method }, response) => {
        if (method !== "PUT" || ++calls % 3 !== 0) return false;
        response.writeHead(503).end();
        return true;
      };
      const content = randomBytes(size);
      await multipart().put("big", inPieces(content, 33_333), { publicRead: true });
      const { body, headers } = bucket.objects.get("/bucket/big")!;
      expect(body.equals(content)).toBe(true);
      expect(headers["x-amz-acl"]).toBe("public-read");
      expect(bucket.uploads.size).toBe(0);
      expect(bucket.seen.some(({ url }) => url.searchParams.has("uploads"))).toBe(size > 100_000);
    },
  );

  test("an S3 store abandons a multipart upload if a part, the source or the completion fails", async () => {
    const content = randomBytes(250_000);
    bucket.intercept = ({ url, method }, response) => {
      if (method !== "PUT" || url.searchParams.get("partNumber") !== "2") return false;
      response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
      return true;
    };
    const refused = await errorOf(multipart().put("big", content));
    expect(refused).toMatchObject({ operation: "write", key: "big", rule: "HTTP status 403 (AccessDenied)" });
    bucket.intercept = () => false;
    async function* failing() {
      yield content;
      throw new RangeError("the source is cut");
    }
    await expect(multipart().put("big", failing())).rejects.toThrow(RangeError);
    bucket.intercept = ({ url, method }, response) => {
      if (method !== "POST" || !url.searchParams.has("uploadId")) return false;
      response.end("<Error><Code>InternalError</Code></Error>");
      return true;
    };
    const unfinished = await errorOf(multipart().put("big", content));
    expect(unfinished).toMatchObject({ rule: "the store refused the parts: InternalError" });
    expect([...bucket.objects.keys()]).toEqual([]);
    expect(bucket.uploads.size).toBe(0);
  });
});

describe("a Google Cloud store", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyFile = (change: object = {}) => {
    const file = join(folder, `key-${randomBytes(4).toString("hex")}.json`);
    const record = {
      type: "service_account",
      client_email: "node@project.example",
      private_key_id: "key-1",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: `${bucket.url}/token`,
      ...change,
    };
    writeFileSync(file, JSON.stringify(record));
    return file;
  };
  const tokens: BucketServer["intercept"] = ({ url }, response) => {
    if (url.pathname !== "/token") return false;
    response.end(JSON.stringify({ access_token: "granted", expires_in: 3599 }));
    return true;
  };

  test("a Google Cloud store exchanges a claim signed with the account's key for a token, once", async () => {
    bucket.intercept = tokens;
    const access = { ...quick, googleEndpoint: bucket.url, googleCredentialsFile: keyFile() };
    const store = openObjectStore("gs://bucket/pre", access);
    await store.put("a", Buffer.from("content"), {
      contentType: "text/plain",
      contentEncoding: "gzip",
      cacheControl: "no-store",
      publicRead: true,
    });
    expect(Buffer.from((await store.get("a"))!).toString()).toBe("content");
    expect(bucket.objects.get("/bucket/pre/a")?.headers).toMatchObject({
      authorization: "Bearer granted",
      "content-type": "text/plain",
      "content-encoding": "gzip",
      "cache-control": "no-store",
      "x-goog-acl": "public-read",
    });
    const asked = bucket.seen.filter(({ url }) => url.pathname === "/token");
    expect(asked.length).toBe(1);
    const form = new URLSearchParams(asked[0].body.toString());
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [header, claims, signature] = form.get("assertion")!.split(".");
    const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(decode(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    const { iss, aud, iat, exp } = decode(claims);
    expect([iss, aud, exp - iat]).toEqual(["node@project.example", `${bucket.url}/token`, 3600]);
    const verified = createVerify("RSA-SHA256").update(`${header}.${claims}`);
    expect(verified.verify(publicKey, Buffer.from(signature, "base64url"))).toBe(true);
  });

  test("a Google Cloud store reports that the token server refuses", async () => {
    bucket.intercept = ({ url }, response) => {
      if (url.pathname === "/token") response.writeHead(401).end("{}");
      return url.pathname === "/token";
    };
    const access = { ...quick, googleEndpoint: bucket.url, googleCredentialsFile: keyFile() };
    const error = await errorOf(openObjectStore("gs://bucket/pre", access).put("a", Buffer.from("a")));
    expect(error).toMatchObject({ operation: "authorize", rule: "the token server answers HTTP status 401" });
  });

  test.each([
    ["another type", { type: "authorized_user" }, /must be the key of a service account/],
    ["no email", { client_email: 1 }, /must have the text client_email/],
    ["no key", { private_key: "-----BEGIN nonsense" }, /private_key must be a PEM key/],
    ["no token server", { token_uri: "ftp://host" }, /token_uri must be an http/],
  ])("a Google Cloud key file with %s is refused", (_, change, rule) => {
    const file = keyFile(change);
    expect(() => openObjectReader("gs://bucket/pre", { googleCredentialsFile: file })).toThrow(rule);
    expect(() => openObjectReader("gs://bucket/pre", { googleCredentialsFile: file })).toThrow(ObjectStoreUrlError);
  });

  test.each([
    [0, Number.POSITIVE_INFINITY],
    [100_001, Number.POSITIVE_INFINITY],
    [300_000, Number.POSITIVE_INFINITY],
    [734_567, 70_000],
  ])(
    "a Google Cloud store writes %d bytes in pieces of 100,000, of which the server accepts %d at once, also if pieces fail",
    async (size, takes) => {
      bucket.takes = takes;
      let calls = 0;
      bucket.intercept = ({ url }, response) => {
        if (!url.searchParams.has("session") || ++calls % 4 !== 0) return false;
        response.writeHead(503).end();
        return true;
      };
      const transport = new ObjectTransport("gs://bucket", quick);
      const store = new GcsObjects({ base: new URL(`${bucket.url}/bucket`), transport, pieceBytes: 100_000 });
      const content = randomBytes(size);
      await store.put("big", inPieces(content, 33_333), { publicRead: true });
      const { body, headers } = bucket.objects.get("/bucket/big")!;
      expect(body.equals(content)).toBe(true);
      expect(headers["x-goog-acl"]).toBe("public-read");
    },
  );

  test("a Google Cloud store writes without public access if the bucket has uniform access", async () => {
    bucket.intercept = ({ headers }, response) => {
      if (headers["x-goog-acl"] === undefined) return false;
      response.writeHead(400).end("<Message>Cannot use ACL API with uniform bucket-level access</Message>");
      return true;
    };
    await openObjectStore("gs://bucket", { ...quick, googleEndpoint: bucket.url }).put("a", Buffer.from("a"), {
      publicRead: true,
    });
    expect(bucket.objects.get("/bucket/a")?.body.toString()).toBe("a");
  });
});
