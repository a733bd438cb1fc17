import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a program with the command line of Noir's `acvm` that solves with the ACVM in WebAssembly. */
export function acvmProgram(folder: string, module: string): string {
  const path = join(folder, "acvm.mjs");
  writeFileSync(
    path,
    `#!${process.execPath}
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import acvm from ${JSON.stringify(module)};
const option = { type: "string" };
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "working-directory": option, bytecode: option, "input-witness": option, "output-witness": option },
});
if (positionals.join() !== "execute") throw new Error("usage: acvm execute");
const file = (name) => join(values["working-directory"], name);
const lines = readFileSync(file(values["input-witness"]), "utf8").trim().split("\\n");
const wires = new Map(lines.map((line) => line.split(" = ")).map(([wire, value]) => [Number(wire), value.slice(1, -1)]));
const stack = await acvm.executeProgram(readFileSync(file(values.bytecode)), wires, async () => []);
writeFileSync(file(values["output-witness"] + ".gz"), acvm.compressWitnessStack(stack));
`,
  );
  chmodSync(path, 0o755);
  return path;
}
