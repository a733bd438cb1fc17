/**
 * Checks that each export of a source file is imported by another file, and each source file by one that is no test, or
 * started by name (moduleBeside). Files are parsed, not type-checked.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/** Where modules are that import source files. */
const FOLDERS = ["src", "test", "bench", "scripts", "conformance"];
const MODULE = /\.(ts|mts|js|mjs)$/;
/** Files that are started, or loaded by a browser; declarations of others. */
const ENTRIES = /^src\/(cli\/main\.ts|status\/page\/app\.js)$|\.d\.ts$/;
const ALL = "*";

export interface Module {
  /** Names that it exports. */
  readonly exports: readonly string[];
  /** Names imported by path of the module; ALL for a namespace, or an import at run time. */
  readonly imports: readonly { readonly path: string; readonly name: string }[];
}

/** What a file exports and imports from files. */
export function readModule(path: string, text: string): Module {
  const exports: string[] = [];
  const imports: { path: string; name: string }[] = [];
  const target = (specifier: ts.Expression | undefined): string | undefined =>
    specifier !== undefined && ts.isStringLiteralLike(specifier) && specifier.text.startsWith(".")
      ? resolve(dirname(path), specifier.text)
      : undefined;
  const add = (specifier: ts.Expression | undefined, names: readonly string[]): void => {
    const from = target(specifier);
    if (from !== undefined) for (const name of names) imports.push({ path: from, name });
  };
  const file = ts.createSourceFile(path, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) add(statement.moduleSpecifier, importedNames(statement.importClause));
    else if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      const named = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : undefined;
      if (named !== undefined) exports.push(...named.map(({ name }) => name.text));
      add(statement.moduleSpecifier, named?.map(({ name, propertyName }) => (propertyName ?? name).text) ?? [ALL]);
    } else exports.push(...declaredExports(statement));
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], [ALL]);
      const isBeside = ts.isIdentifier(node.expression) && node.expression.text === "moduleBeside";
      if (isBeside && ts.isStringLiteralLike(node.arguments[1])) {
        imports.push({ path: resolve(dirname(path), `${node.arguments[1].text}.ts`), name: ALL });
      }
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal as ts.Expression, [ALL]);
    ts.forEachChild(node, visit);
  };
  if (/\bimport\(|moduleBeside\(/.test(text)) visit(file);
  return { exports, imports };
}

function importedNames(clause: ts.ImportClause | undefined): string[] {
  const bindings = clause?.namedBindings;
  return [
    ...(clause?.name === undefined ? [] : ["default"]),
    ...(bindings === undefined
      ? []
      : ts.isNamedImports(bindings)
        ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
        : [ALL]),
  ];
}

function declaredExports(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) return ["default"];
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const has = (kind: ts.SyntaxKind): boolean => modifiers.some((modifier) => modifier.kind === kind);
  if (!has(ts.SyntaxKind.ExportKeyword)) return [];
  if (has(ts.SyntaxKind.DefaultKeyword)) return ["default"];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  }
  const { name } = statement as ts.DeclarationStatement;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : boundNames(element.name)));
}

/** A line for each export that no other file imports, and for each source file that only tests import. */
export function unusedExports(modules: ReadonlyMap<string, Module>, root: string): string[] {
  const used = new Map<string, Set<string>>();
  const needed = new Set<string>();
  for (const [path, { imports }] of modules) {
    for (const { path: target, name } of imports) {
      const names = used.get(target) ?? new Set();
      used.set(target, names.add(name));
      if (!relative(root, path).startsWith("test/")) needed.add(target);
    }
  }
  const lines: string[] = [];
  for (const [path, { exports }] of modules) {
    const file = relative(root, path);
    if (!file.startsWith("src/") || ENTRIES.test(file)) continue;
    const names = used.get(path) ?? new Set();
    if (!needed.has(path)) lines.push(`${file} is imported by tests only: it belongs into test`);
    const unused = names.has(ALL) ? [] : exports.filter((name) => !names.has(name));
    lines.push(...unused.map((name) => `${file} exports ${name}, which no other file imports`));
  }
  return lines;
}

function readModules(root: string): Map<string, Module> {
  const modules = new Map<string, Module>();
  for (const folder of FOLDERS) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !MODULE.test(entry.name) || entry.parentPath.includes("node_modules")) continue;
      const path = join(entry.parentPath, entry.name);
      modules.set(path, readModule(path, readFileSync(path, "utf8")));
    }
  }
  return modules;
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, "..");
  const lines = unusedExports(readModules(root), root);
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}
