import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { fakeServices } from "../../world/rpc/fakes.ts";
import { Checker } from "../../world/rpc/json-schema.ts";
import { type RecordedCase, recordedChain } from "../support/recorded.ts";

const services = fakeServices();
/** The answers were recorded from 4.1.2. */
const status = { ...services.status, revertWords: "4.1" as const };
const checker = new Checker(openRpcDocument(publicRegistry({ ...services, status }), ["node", "svc"]));
const fixture = (name: string) =>
  gunzipSync(readFileSync(new URL(`../../fixtures/rpc/${name}`, import.meta.url))).toString("utf8");

const cases = recordedChain();

test.each([...new Set(cases.map(({ method }) => method))])(
  "recorded answers of node_%s match the API description",
  (method) => {
    for (const { params, result } of cases.filter((c) => c.method === method && c.error === undefined)) {
      expect(checker.resultViolations(`node_${method}`, result), JSON.stringify(params).slice(0, 200)).toEqual([]);
    }
  },
);

test("recorded answers about transactions match the API description", () => {
  const answers = JSON.parse(fixture("tx-answers.json.gz")) as (RecordedCase & {
    response?: { result?: unknown; error?: unknown };
  })[];
  let checked = 0;
  for (const { method, response } of answers) {
    if (response === undefined || response.error !== undefined) continue;
    expect(checker.resultViolations(method, response.result), method).toEqual([]);
    checked += 1;
  }
  expect(checked).toBeGreaterThan(5);
});

const block = cases.find(({ method, result }) => method === "getBlock" && result !== undefined)?.result as Record<
  string,
  unknown
>;

test("the schema checker finds missing, malformed and undescribed members", () => {
  const { archive, ...rest } = block;
  expect(checker.resultViolations("node_getBlock", rest)[0]).toContain("lacks archive");
  expect(checker.resultViolations("node_getBlock", { ...block, checkpointNumber: "5" })[0]).toContain("is not integer");
  expect(checker.resultViolations("node_getBlock", { ...block, hash: 1 })[0]).toContain("has hash");
  const wide = { ...(archive as object), root: "0x5" };
  expect(checker.resultViolations("node_getBlock", { ...block, archive: wide })[0]).toContain("is not of the form");
  expect(checker.resultViolations("node_getVersion", null)[0]).toContain("is not integer");
  expect(checker.resultViolations("node_getBlock", null)).toEqual([]);
});
