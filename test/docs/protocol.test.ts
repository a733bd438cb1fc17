import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { keccak256, parseAbi, toBytes, toEventSelector, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { selector } from "../../src/core/derive/selector.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import { REASON } from "../../src/protocol/tx/refusal-reasons.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const filesOf = (...patterns: string[]): string[] => globSync(patterns, { cwd: ROOT }).toSorted();

/** Text without fenced code, which contains no links. */
const proseOf = (file: string): string => textOf(file).replaceAll(/^```[\s\S]*?^```/gm, "");

/** Anchors of a document's headings: lower case, no punctuation, hyphens for spaces. */
function anchorsOf(file: string): Set<string> {
  const headings = proseOf(file).matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** The fault of a link to `file#anchor` (the anchor may be missing); undefined if its target exists. */
function fault(file: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(ROOT, file))) return `no file ${file}`;
  return anchor === undefined || anchorsOf(file).has(anchor) ? undefined : `no heading ${file}#${anchor}`;
}

const CHAPTERS = filesOf("docs/protocol/[0-9][0-9]-*.md");
const SECTION = /^## (\d+)\.(\d+) \S/gm;

describe("documents", () => {
  test.each(filesOf("*.md", "docs/**/*.md"))("%s links to files and headings that exist", (document) => {
    const faults = Array.from(proseOf(document).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g))
      .map(([, path, anchor]) => fault(path === "" ? document : join(dirname(document), path), anchor))
      .filter((found) => found !== undefined);
    expect(faults).toEqual([]);
  });

  test.each(filesOf("*.md", "{docs,bench,data}/**/*.md", "test/fixtures/*.md"))(
    "%s names files that exist",
    (document) => {
      const paths = textOf(document).matchAll(/`((?:test|src|assembly|scripts|bench|data|conformance)\/[\w./-]+)`/g);
      const missing = Array.from(paths, ([, path]) => path).filter((path) => !existsSync(join(ROOT, path)));
      expect(missing).toEqual([]);
    },
  );

  test("docs/architecture.md names source files that exist", () => {
    const known = new Set(filesOf("src/**/*.ts").map((file) => basename(file)));
    const named = Array.from(textOf("docs/architecture.md").matchAll(/`([\w-]+\.ts)`/g), ([, name]) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });
});

describe("protocol documents", () => {
  test("citations of docs/protocol name files and headings that exist", () => {
    const sources = filesOf("{src,assembly,test,bench,scripts}/**/*.ts", "docs/**/*.md", "*.md", "test/fixtures/*.md");
    const faults = sources.flatMap((source) =>
      Array.from(textOf(source).matchAll(/(docs\/protocol\/[\w-]+\.md)(?:#([\w-]+))?/g))
        .map(([, file, anchor]) => fault(file, anchor))
        .filter((found) => found !== undefined)
        .map((found) => `${source}: ${found}`),
    );
    expect(faults).toEqual([]);
  });

  test("a citation names the document of its section, names a section once, and fills its line of a comment", () => {
    const faults = filesOf("{src,assembly,test,bench,scripts}/**/*.ts").flatMap((source) => {
      const text = textOf(source);
      const nameless = Array.from(text.matchAll(/(.*)\bsections? \d+\.\d+/gi))
        .filter(([, before]) => !/(?:RFC|FIPS|SEC|EIP|JSON-RPC)[ -][\d.-]+,? $/.test(before))
        .map(([line]) => line);
      const doubled = text.match(/(docs\/protocol\/[\w-]+\.md#[\w-]+)(?:,| and)[\s*/]+\1(?![\w-])/g) ?? [];
      const lone = text.match(/^ *(?:\*|\/\/) *[)\].,;:]+ *$/gm) ?? [];
      return [...nameless, ...doubled, ...lone].map((found) => `${source}: ${found}`);
    });
    expect(faults).toEqual([]);
  });

  test.each(CHAPTERS)("%s numbers its sections without a gap", (chapter) => {
    const number = Number(relative("docs/protocol", chapter).slice(0, 2));
    const sections = Array.from(textOf(chapter).matchAll(SECTION), ([, of, section]) => [Number(of), Number(section)]);
    expect(sections).toEqual(sections.map((_, i) => [number, i + 1]));
    expect(sections.length).toBeGreaterThan(0);
  });

  test("the protocol documents list all domain separators of the network", () => {
    const rows = textOf("docs/protocol/01-fields-and-hashing.md").matchAll(/^\| ([A-Z][A-Z0-9_]+) \| (\d+) \|/gm);
    const { domainSeparators } = JSON.parse(textOf("test/fixtures/vectors/crypto.json"));
    const values = Object.entries(domainSeparators).map(([name, value]) => [name, String(value)]);
    expect(Array.from(rows, ([, name, value]) => [name, value])).toEqual(values);
  });

  test("L1 interfaces in the protocol documents have the network's selectors and topics", () => {
    const { functions, eventTopics } = JSON.parse(textOf("test/fixtures/vectors/l1.json")).selectors;
    const known: Record<string, string> = { ...functions, ...eventTopics };
    const blocks = textOf("docs/protocol/04-l1-contracts.md").matchAll(/^```solidity\n\/\/ (\w+)\n([\s\S]*?)^```/gm);
    const stated = Array.from(blocks).flatMap(([, contract, lines]) =>
      parseAbi(lines.trim().split("\n")).flatMap((item) => {
        if (item.type === "function") return [[`${contract}.${item.name}`, toFunctionSelector(item)]];
        return item.type === "event" ? [[`${contract}.${item.name}`, toEventSelector(item)]] : [];
      }),
    );
    const compared = stated.filter(([name]) => name in known);
    expect(compared).toEqual(compared.map(([name]) => [name, known[name]]));
    expect(compared.length).toBeGreaterThan(30);
  });

  test("the protocol documents have the network's instruction set and digits by radix", () => {
    const file = readFileSync(join(ROOT, "test/fixtures/vectors/avm.json.gz"));
    const { opcodes, toRadixModulusDigits } = JSON.parse(gunzipSync(file).toString("utf8"));
    const chapter = textOf("docs/protocol/06-public-execution.md");
    const rows = chapter.matchAll(/^\| (\d+) \| (\w+) \| ([012]) \| ([^|]+) \| (\d+) \| ([\d,]+)(?: \+ (\d+))? \|/gm);
    const widths = (mode: string, operands: string) => [
      ...(mode === "0" ? [] : [Number(mode)]),
      ...Array.from(operands.matchAll(/ s(8|16)|(tag)| i(\d+)/g), ([, bits, tag, bytes]) =>
        bits === undefined ? Number(tag === undefined ? bytes : 1) : Number(bits) / 8,
      ),
    ];
    const stated = Array.from(rows, ([, byte, name, mode, operands, size, l2, da = "0"]) => ({
      name,
      byte: Number(byte),
      operandBytes: widths(mode, operands),
      size: Number(size),
      baseL2: Number(l2.replaceAll(",", "")),
      baseDA: Number(da),
    }));
    expect(stated).toEqual(opcodes);
    const digits = Array.from(chapter.matchAll(/\bD\((\d+)\) = (\d+)/g), ([, radix, count]) => [
      Number(radix),
      Number(count),
    ]);
    expect(digits).toEqual(digits.map(([radix]) => [radix, toRadixModulusDigits[radix]]));
    expect(digits.length).toBeGreaterThan(4);
  });

  test("function selectors in the protocol documents match their signatures", () => {
    const core = loadCore();
    const rows = ["07-transactions-and-fees", "08-building-and-checkpoints"].flatMap((chapter) =>
      Array.from(textOf(`docs/protocol/${chapter}.md`).matchAll(/^\|.*$/gm), ([row]) => row),
    );
    const stated = rows.flatMap((row) => {
      const [, signature] = row.match(/`(\w+\(\S*\))`/) ?? [];
      const [, own] = row.match(/`(0x[0-9a-f]{8})` \|/) ?? [];
      return signature === undefined || own === undefined ? [] : [[signature, Number(own)]];
    });
    expect(stated).toEqual(stated.map(([signature]) => [signature, selector(core, String(signature))]));
    expect(stated.length).toBeGreaterThan(20);
  });

  test("the protocol documents name every reason for an invalid transaction", () => {
    const chapter = textOf("docs/protocol/07-transactions-and-fees.md");
    const { gasLimitHigh, ...others } = REASON;
    const ofLimits = [V4, V5].map(({ transactions }) => `${gasLimitHigh} ${transactions.refusals.maxGas}`);
    const missing = [...Object.values(others), ...ofLimits].filter((reason) => !chapter.includes(`\`${reason}\``));
    expect(missing).toEqual([]);
  });

  test("every 32-byte constant in the protocol documents is in the code or the vectors", () => {
    const known = filesOf("src/**/*.{ts,json}", "test/fixtures/vectors/*.json", "test/**/*.test.ts")
      .map((file) => textOf(file).toLowerCase())
      .join("\n");
    const chapters = CHAPTERS.map(textOf).join("\n");
    const hashes = new Set(Array.from(chapters.matchAll(/\bK\("([^"]+)"\)/g), ([, text]) => keccak256(toBytes(text))));
    const stated = Array.from(chapters.matchAll(/0x[0-9a-f]{64}/g), ([value]) => value as `0x${string}`);
    expect([...new Set(stated)].filter((value) => !hashes.has(value) && !known.includes(value))).toEqual([]);
    expect(stated.length).toBeGreaterThan(20);
  });
});
