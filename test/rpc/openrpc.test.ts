import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Dispatcher } from "../../src/rpc/jsonrpc/dispatcher.ts";
import { publicRegistry } from "../../src/rpc/methods/public-registry.ts";
import { apiDocument } from "../../src/rpc/openrpc/api-document.ts";
import { type OpenRpcDocument, openRpcDocument, returnsIn } from "../../src/rpc/openrpc/document.ts";
import { asker } from "./support/ask.ts";
import { fakeServices, recordingLogger } from "./support/fakes.ts";

const registry = publicRegistry(fakeServices());
const document = openRpcDocument(registry, ["svc", "node"]);

describe("the description of the API", () => {
  test("is OpenRPC 1.3: named methods, parameters and results with schemas, references that resolve", () => {
    expect(document.openrpc).toMatch(/^1\.3\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const names = document.methods.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(111);
    for (const { name, params, result, summary, paramStructure } of document.methods) {
      expect(paramStructure).toBe("by-position");
      expect(summary, name).toMatch(/[^.]$/);
      expect(result.schema, name).toBeTypeOf("object");
      expect(new Set(params.map((one) => one.name)).size, name).toBe(params.length);
      // OpenRPC wants the optional ones last.
      const optional = params.map(({ required }) => !required);
      expect(optional, name).toEqual(optional.toSorted((a, b) => Number(a) - Number(b)));
      for (const { name: param, schema } of params) expect(Object.keys(schema), `${name} ${param}`).not.toEqual([]);
    }
    const references = JSON.stringify(document).match(/#\/components\/schemas\/[^"]+/g) ?? [];
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const name = reference.slice("#/components/schemas/".length);
      expect(document.components.schemas[name], name).toBeDefined();
      expect(name).toMatch(/^[A-Za-z0-9]+$/);
    }
  });

  test("names the result of every method", () => {
    for (const method of registry.methods) {
      for (const namespace of ["svc", "node"] as const) {
        if (method.encode[namespace]) expect(returnsIn(method, namespace), method.name).not.toBe("unknown");
      }
    }
  });

  test("marks deprecated methods and what replaces them", () => {
    const marked = document.methods.filter(({ deprecated }) => deprecated);
    expect(marked.map((method) => [method.name, method["x-replacement"]])).toEqual([
      ["svc_getTxEffect", "getTxReceipt with includeTxEffect"],
      ["svc_getL2ToL1Messages", "getL2ToL1MembershipWitness"],
      ["node_isL1ToL2MessageSynced", "getL1ToL2MessageCheckpoint"],
    ]);
  });

  test("is the answer of rpc.discover, for the namespaces of the listener", async () => {
    const { ask } = asker();
    expect(await ask("rpc.discover")).toEqual(JSON.parse(JSON.stringify(document)));
    const options = { maxBatchSize: 1, namespaces: ["node"] as const };
    const dispatcher = new Dispatcher(registry, options, recordingLogger());
    for (let i = 0; i < 2; i++) {
      const { status, body } = await dispatcher.answer({ id: i, method: "rpc.discover" });
      expect(status).toBe(200);
      const { id, result } = JSON.parse(Buffer.from(body).toString()) as { id: number; result: OpenRpcDocument };
      expect(id).toBe(i);
      expect(result.methods.every(({ name }) => name.startsWith("node_"))).toBe(true);
    }
    expect(await ask("rpc.other")).toEqual([-32601, "Method not found: rpc.other"]);
  });

  test("is what docs/api.md says", () => {
    const section = apiDocument([{ title: "Public listener: `svc_`", document: openRpcDocument(registry, ["svc"]) }]);
    const written = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
    expect(written.startsWith(section.trimEnd())).toBe(true);
    for (const { name } of document.methods) expect(written).toContain(`| \`${name}\` |`);
  });
});
