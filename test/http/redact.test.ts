import { expect, test } from "vitest";
import { redactUrl, withoutUrl } from "../../src/http/redact.ts";

test.each([
  ["https://rpc.example", "https://rpc.example"],
  ["https://rpc.example/", "https://rpc.example"],
  ["https://rpc.example:8545/k", "https://rpc.example:8545/[Redacted]"],
  ["https://rpc.example/v3/abc", "https://rpc.example/[Redacted]"],
  ["https://rpc.example/?key=1", "https://rpc.example/[Redacted]"],
  ["https://user:pass@rpc.example", "https://rpc.example/[Redacted]"],
  ["s3://bucket/prefix?endpoint=https://x", "s3://bucket/prefix?[Redacted]"],
  ["file:///var/blobs", "file:///var/blobs"],
  ["no url: secret", "[Redacted]"],
])("URL %s is shown as %s", (given, shown) => {
  expect(redactUrl(given)).toBe(shown);
});

test("a server's error text loses path, query and user of the server's URL", () => {
  const url = "https://me:word@rpc.example/v3/abc123?key=xyz";
  const said = `POST ${url}: project abc123 of /v3/abc123 has no key xyz (me, word)`;
  const shown = withoutUrl(said, url);
  expect(shown).not.toMatch(/abc123|xyz|word/);
  expect(withoutUrl("limit exceeded", url)).toBe("limit exceeded");
  expect(withoutUrl("limit exceeded", "https://rpc.example")).toBe("limit exceeded");
});
