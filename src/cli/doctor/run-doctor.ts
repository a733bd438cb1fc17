import { resolve } from "node:path";
import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { directoryHolder } from "../../storage/directory-lock.ts";
import { checkDirectory } from "./check-directory.ts";
import { checkHa } from "./check-ha.ts";
import { checkKeys } from "./check-keys.ts";
import { checkL1 } from "./check-l1.ts";
import { checkMachine } from "./check-machine.ts";
import { checkPorts } from "./check-ports.ts";
import { checkProofs } from "./check-proofs.ts";
import { type Finding, fail, findingLines } from "./finding.ts";

/** A check that an error of the operator ends becomes its finding: one fault does not hide the others. */
async function findings(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [fail(check, error.message, "see docs/configuration.md")];
  }
}

/** All findings about a configuration, in the order in which they are shown. */
export async function examine(values: Values, now: () => number = Date.now): Promise<Finding[]> {
  const parts = partValues(values);
  const path = parts.storage.directory && resolve(parts.storage.directory);
  const holder = path === undefined ? undefined : directoryHolder(path);
  const [directory, keys, proofs] = await Promise.all([
    checkDirectory(path),
    checkKeys(parts),
    checkProofs(parts.proofs),
  ]);
  const { publishers } = keys;
  const stored = directory.identity !== undefined;
  const [l1, ports, database] = await Promise.all([
    findings("L1", () => checkL1({ values: parts, stored, publishers, now })),
    checkPorts(values, holder !== undefined),
    findings("HA database", async () => [await checkHa(parts.signing)]),
  ]);
  return [...checkMachine(), ...directory.findings, ...l1, ...ports, ...keys.findings, ...database, proofs];
}

/** Prints a line and a remedy for each finding. Exit code 1 if something fails. */
export async function runDoctor(values: Values, json: boolean): Promise<void> {
  const found = await examine(values);
  const count = (verdict: Finding["verdict"]): number => found.filter((finding) => finding.verdict === verdict).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (json) process.stdout.write(`${JSON.stringify({ failed, warned, findings: found }, undefined, 2)}\n`);
  else {
    const total = `${failed} failed, ${warned} warned, ${count("ok")} ok, ${count("skip")} skipped`;
    process.stdout.write(`${[...found.flatMap(findingLines), total].join("\n")}\n`);
  }
  if (failed > 0) process.exitCode = 1;
}
