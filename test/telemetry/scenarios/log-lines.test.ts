import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../../../src");
const LEVELS = ["trace", "debug", "verbose", "info", "warn", "error", "fatal"];
/** First words that the field writes with a capital letter. */
const NAMES = /^(L1|L2|RPC|UDP|API|HTTP|P2P|WebSocket|KZG|PROOFS|[A-Z0-9]+(_[A-Z0-9]+)+)\b/;

interface LogLine {
  place: string;
  /** The text up to the first value that is inserted; undefined for a message that is a variable. */
  text: string | undefined;
  end: string | undefined;
  fields: string[];
}

function textOf(node: ts.Expression | undefined): { text?: string; end?: string } {
  if (node === undefined) return {};
  if (ts.isStringLiteralLike(node)) return { text: node.text, end: node.text };
  if (ts.isTemplateExpression(node)) {
    return { text: node.head.text, end: node.templateSpans.at(-1)?.literal.text };
  }
  if (ts.isBinaryExpression(node)) return { text: textOf(node.left).text, end: textOf(node.right).end };
  if (ts.isConditionalExpression(node)) return textOf(node.whenTrue);
  return {};
}

function logLinesOf(path: string): LogLine[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const lines: LogLine[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      if (LEVELS.includes(name.text) && /(^|[.#])(log|logger)\??$/.test(expression.getText(source))) {
        const [first, second] = node.arguments;
        const { text, end } = textOf(second ?? first);
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        const fields =
          first !== undefined && ts.isObjectLiteralExpression(first)
            ? first.properties.flatMap((property) => property.name?.getText(source) ?? [])
            : [];
        lines.push({ place: `${path.slice(SOURCES.length + 1)}:${line + 1}`, text, end, fields });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

const lines = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => logLinesOf(join(SOURCES, path)));
const placesWith = (fault: (line: LogLine) => boolean): string[] => lines.filter(fault).map(({ place }) => place);

test("the log calls of the sources are found", () => {
  expect(lines.length).toBeGreaterThan(300);
});

test("a log line begins in lower case, unless a name begins it", () => {
  expect(placesWith(({ text }) => /^[A-Z]/.test(text ?? "") && !NAMES.test(text ?? ""))).toEqual([]);
});

test("a log line has no full stop and no exclamation mark", () => {
  expect(placesWith(({ end }) => /[.!]$/.test(end ?? ""))).toEqual([]);
});

test("an error in a log line is the field err", () => {
  expect(placesWith(({ fields }) => fields.some((name) => ["error", "e", "ex", "exception"].includes(name)))).toEqual(
    [],
  );
});
