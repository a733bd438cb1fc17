import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { PageRoute } from "../../../src/rpc/routes/page-route.ts";
import type { Listener } from "../../../src/rpc/wire/listener.ts";
import { listenWithNode } from "../../../src/rpc/wire/node/listener.ts";
import { listenWithUws } from "../../../src/rpc/wire/uws/listener.ts";
import { pageFiles } from "../../../src/status/page-files.ts";

const FILES = pageFiles({ rpc: "rpc", admin: true, key: true, batch: 7 });
const INNER = {
  receive: () => ({ status: 200, headers: [], body: Buffer.from("inner") }),
  failed: () => ({ status: 500, headers: [] }),
};
const LIMITS = { host: "127.0.0.1", port: 0, requestTimeoutMs: 5_000, stallTimeoutMs: 5_000 };

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close(0);
  listener = undefined;
});

describe.each([
  ["uWebSockets.js", listenWithUws],
  ["node:http", listenWithNode],
] as const)("the files of the status page over %s", (_, listen) => {
  const get = async (path: string, init: RequestInit = {}): Promise<Response> => {
    listener ??= await listen(new PageRoute(INNER, FILES), LIMITS);
    return await fetch(`http://127.0.0.1:${listener.port}${path}`, { redirect: "manual", ...init });
  };

  test("every file has its content type, its hash as ETag, and headers that allow nothing from elsewhere", async () => {
    for (const { name, bytes } of FILES) {
      const response = await get(`/ui/${name}`, { headers: { "accept-encoding": "identity" } });
      expect(response.status, name).toBe(200);
      const type = name === "" ? "text/html" : { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
      const expected = typeof type === "string" ? type : type[name.split(".").at(-1) as keyof typeof type];
      expect(response.headers.get("content-type"), name).toMatch(new RegExp(`^${expected.replace("+", "\\+")}`));
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("etag")).toMatch(/^"[\w-]{22}"$/);
      const policy = response.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).not.toContain("unsafe");
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes), name).toBe(true);
    }
  });

  test("a browser that has a file is told so without the file, in either encoding", async () => {
    for (const encoding of ["gzip, deflate, br, zstd", "identity"]) {
      const headers = { "accept-encoding": encoding };
      const first = await get("/ui/app.js", { headers });
      expect(first.headers.get("content-encoding")).toBe(encoding === "identity" ? null : "gzip");
      const etag = first.headers.get("etag") ?? "";
      const again = await get("/ui/app.js", { headers: { ...headers, "if-none-match": `"other", W/${etag}` } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
    }
    expect((await get("/ui/app.js", { headers: { "accept-encoding": "gzip;q=0" } })).headers.get("etag")).toMatch(
      /^"[\w-]{22}"$/,
    );
  });

  test("the path without a slash leads to the page, other verbs and names are refused, the rest passes", async () => {
    const moved = await get("/ui");
    expect([moved.status, moved.headers.get("location")]).toEqual([308, "ui/"]);
    expect((await get("/ui/", { method: "POST" })).status).toBe(405);
    expect((await get("/ui/../../package.json")).status).toBe(200);
    for (const path of ["/ui/none.js", "/ui/..%2fpage-files.ts", "/ui/lib/", "/ui/index.html"]) {
      expect((await get(path)).status, path).toBe(404);
    }
    for (const path of ["/", "/status", "/uix", "/ui/rpc"]) expect(await (await get(path)).text(), path).toBe("inner");
    const head = await get("/ui/style.css", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
});

test("the page's document names its settings, and its only inline script is the one whose hash the policy allows", () => {
  const page = FILES.find(({ name }) => name === "")!;
  const html = Buffer.from(page.bytes).toString();
  expect(html).toContain('data-rpc="rpc" data-admin="true" data-local="false" data-key="true" data-batch="7"');
  expect(html.match(/<script(?![^>]* src=)/g)).toHaveLength(1);
  expect(html).not.toMatch(/ style=| on\w+=/);
});

test("what a browser loads of the page is below 80 kB", () => {
  expect(FILES.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0)).toBeLessThan(80_000);
});
