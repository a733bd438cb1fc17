import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { adminKeys } from "../../src/node/settings/admin-keys.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { adminRegistry } from "../../src/rpc/admin/admin-registry.ts";
import type { AdminServices } from "../../src/rpc/admin/ports/admin-services.ts";
import { Dispatcher } from "../../src/rpc/calls/dispatcher.ts";
import type { JsonSchema } from "../../src/rpc/codecs/json/json-schema.ts";
import { apiDocument } from "../../src/rpc/openrpc/api-document.ts";
import { type OpenRpcDocument, openRpcDocument } from "../../src/rpc/openrpc/document.ts";
import { publicRegistry } from "../../src/rpc/server/public-registry.ts";
import { asker } from "../world/rpc/ask.ts";
import { fakeServices, recordingLogger } from "../world/rpc/fakes.ts";

/** Services for the description only: none of them is called. */
const services = new Proxy({}, { get: (_, name) => (name === "config" ? { keys: adminKeys() } : {}) });
const registry = publicRegistry(fakeServices());
const document = openRpcDocument(registry, ["svc", "node", "p2p"]);
const adminDocument = openRpcDocument(adminRegistry(services as AdminServices, V4.api), ["svcAdmin", "nodeAdmin"]);

const list = (value: unknown): JsonSchema[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).filter((one) => typeof one === "object");
const membersOf = ({ properties = {} }: JsonSchema) => Object.entries(properties as Record<string, JsonSchema>);
const CONFIGURATION = /NodeAdminConfig/;

/**
 * Members of a schema that have no description, neither their own nor that of a referenced type. Keys of the
 * configuration are exempt: they are named after options.
 */
function undescribed(schema: JsonSchema): string[] {
  if (CONFIGURATION.test(String(schema.title))) return [];
  return [
    ...membersOf(schema).flatMap(([name, member]) => undescribedAt(name, member)),
    ...[
      ...list(schema.anyOf),
      ...list(schema.items),
      ...list(schema.allOf),
      ...list(schema.additionalProperties),
    ].flatMap(undescribed),
  ];
}

function undescribedAt(name: string, schema: JsonSchema): string[] {
  const said = schema.description !== undefined || schema.$ref !== undefined || schema.const !== undefined;
  return said ? undescribed(schema) : [name, ...undescribed(schema)];
}

/** Objects in a schema that allow members of any form. */
function openObjects(schema: JsonSchema, types: Record<string, JsonSchema>, seen = new Set<string>()): string[] {
  const { $ref, type, additionalProperties } = schema;
  const name = typeof $ref === "string" ? $ref.slice("#/components/schemas/".length) : undefined;
  if (name !== undefined) return seen.has(name) ? [] : openObjects(types[name], types, seen.add(name));
  const parts = [...list(schema.anyOf), ...list(schema.items), ...list(schema.allOf), ...list(additionalProperties)];
  const isOpen = type === "object" && additionalProperties !== false && typeof additionalProperties !== "object";
  return [
    ...(isOpen ? [JSON.stringify(schema).slice(0, 200)] : []),
    ...(Object.keys(schema).length === 0 ? ["{}"] : []),
    ...[...parts, ...membersOf(schema).map(([, member]) => member)].flatMap((part) => openObjects(part, types, seen)),
  ];
}

test("the API description is OpenRPC 1.3 with schemas everywhere and references that resolve", () => {
  expect(document.openrpc).toMatch(/^1\.3\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  const names = document.methods.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(119);
  for (const { name, params, result, summary, paramStructure } of document.methods) {
    expect(paramStructure).toBe("by-position");
    expect(summary, name).toMatch(/[^.]$/);
    expect(result.schema, name).toBeTypeOf("object");
    expect(new Set(params.map((one) => one.name)).size, name).toBe(params.length);
    // OpenRPC requires optional parameters to come last.
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

test("the API description describes every parameter, result, type and member", () => {
  for (const { methods, components } of [document, adminDocument]) {
    for (const { name, params, result } of methods) {
      expect(undescribed(result.schema), name).toEqual([]);
      for (const one of params) {
        const own =
          one.description === undefined ? undescribedAt(`${name} ${one.name}`, one.schema) : undescribed(one.schema);
        expect(own, name).toEqual([]);
      }
    }
    for (const [title, schema] of Object.entries(components.schemas)) {
      expect(schema.description, title).toMatch(/\.$/);
      expect(undescribed(schema), title).toEqual([]);
    }
  }
});

test("the API description leaves no object of a result open", () => {
  for (const { methods, components } of [document, adminDocument]) {
    for (const { name, result } of methods) expect(openObjects(result.schema, components.schemas), name).toEqual([]);
  }
});

test("the API description marks deprecated methods and names their replacements", () => {
  const marked = document.methods.filter(({ deprecated }) => deprecated);
  expect(marked.map((method) => [method.name, method["x-replacement"]])).toEqual([
    ["svc_getTxEffect", "getTxReceipt with includeTxEffect"],
    ["svc_getL2ToL1Messages", "getL2ToL1MembershipWitness"],
    ["node_isL1ToL2MessageSynced", "getL1ToL2MessageCheckpoint"],
  ]);
});

test("rpc.discover answers with the API description of the listener's namespaces", async () => {
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

test("docs/api.md has no prose line above 120 columns", () => {
  const written = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  expect(written.split("\n").filter((line) => line.length > 120 && !/^(\||Form: )/.test(line))).toEqual([]);
});

test("docs/api.md is generated from the API description", () => {
  const written = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const section = apiDocument([{ title: "Public listener: `svc_`", document: openRpcDocument(registry, ["svc"]) }]);
  expect(written.startsWith(section.slice(0, section.indexOf("## Types")).trimEnd())).toBe(true);
  for (const title of Object.keys({ ...document.components.schemas, ...adminDocument.components.schemas })) {
    expect(written).toContain(`\n### ${title}\n`);
  }
  for (const { name } of document.methods) expect(written).toContain(`| \`${name}\` |`);
});
