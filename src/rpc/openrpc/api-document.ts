import type { JsonSchema } from "../codecs/json/json-schema.ts";
import type { ContentDescriptor, OpenRpcDocument, OpenRpcMethod } from "./document.ts";
import { shortSchema } from "./short-schema.ts";

/** Escapes text for a cell of a table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function parameter({ name, required, schema, description }: ContentDescriptor): string {
  const note = description === undefined ? "" : `: ${description}`;
  return `\`${name}${required ? "" : "?"}\` ${cell(shortSchema(schema))}${cell(note)}`;
}

function row({ name, params, result, summary = "", ...rest }: OpenRpcMethod): string {
  const note = rest.deprecated ? ` (deprecated: use ${rest["x-replacement"]})` : "";
  const notified = rest["x-notification"];
  const events = notified === undefined ? "" : `. Sends ${notified.name}, ${shortSchema(notified.params)}`;
  const nothing = result.description === undefined ? "" : `. ${result.description}`;
  const shown = params.map(parameter).join("<br>");
  return `| \`${name}\` | ${shown} | ${cell(result.name)} | ${cell(`${summary}${note}${nothing}${events}`)} |`;
}

const LINE_WIDTH = 120;

/** Breaks prose into lines of at most LINE_WIDTH columns; `indent` is put in front of all but the first. */
function wrap(text: string, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line);
      line = indent + word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The description next to a reference to a type, else the type's own. */
function descriptionOf({ description }: JsonSchema): string {
  return typeof description === "string" ? description : "";
}

function memberRows(schema: JsonSchema): string[] {
  const needed = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, member]) =>
      `| \`${name}${needed.includes(name) ? "" : "?"}\` | ${cell(shortSchema(member))} | ${cell(descriptionOf(member))} |`,
  );
}

function typeLines(title: string, schema: JsonSchema): string[] {
  const { title: _, description: __, ...form } = schema;
  const lines = [`### ${title}`, "", ...wrap(descriptionOf(schema)), ""];
  if (schema.properties !== undefined) {
    return [...lines, "| Member | Type | Meaning |", "|---|---|---|", ...memberRows(schema), ""];
  }
  if (Array.isArray(schema.anyOf)) {
    const forms = (schema.anyOf as JsonSchema[]).flatMap((one) => {
      const text = descriptionOf(one);
      return wrap(`- ${shortSchema(one)}${text === "" ? "" : `: ${text}`}`, "  ");
    });
    return [...lines, "One of:", "", ...forms, ""];
  }
  const pattern = typeof schema.pattern === "string" ? `, \`${schema.pattern}\`` : "";
  return [...lines, `Form: ${shortSchema(form)}${pattern}`, ""];
}

/** docs/api.md: the API description as Markdown, with a section per title, then all types. */
export function apiDocument(sections: readonly { title: string; document: OpenRpcDocument }[]): string {
  const lines = [
    "# JSON-RPC methods",
    "",
    ...wrap(
      "Generated from the registry of methods by `npm run docs`; do not edit by hand. The same description, with full " +
        "schemas, is the answer of `rpc.discover` (OpenRPC 1.3). `node scripts/typescript-client.ts URL` makes a " +
        "client in TypeScript of it.",
    ),
    "",
    ...wrap(
      "Parameters are positional. A `?` marks one that may be left out or null, and a result that may be null. Types " +
        "stand [below](#types).",
    ),
    "",
  ];
  const types = new Map<string, JsonSchema>();
  for (const { title, document } of sections) {
    lines.push(`## ${title}`, "", "| Method | Parameters | Result | Meaning |", "|---|---|---|---|");
    lines.push(...document.methods.map(row), "");
    for (const [name, schema] of Object.entries(document.components.schemas)) types.set(name, schema);
  }
  lines.push(
    "## Types",
    "",
    "Names that begin with `Release` are of the release's namespaces, `node_` and `nodeAdmin_`.",
    "",
  );
  const sorted = [...types].sort(([a], [b]) => (a < b ? -1 : 1));
  lines.push(...sorted.flatMap(([name, schema]) => typeLines(name, schema)));
  return `${lines.join("\n").trimEnd()}\n`;
}
