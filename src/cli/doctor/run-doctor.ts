import { resolve } from "node:path";
import type { Configuration } from "../../config/configuration.ts";
import { partValues } from "../../config/part-values.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { checkStart } from "../../modes/start-checks.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { directoryHolder } from "../../storage/directory-lock.ts";
import { checkDirectory } from "./check-directory.ts";
import { checkHa } from "./check-ha.ts";
import { checkKeys } from "./check-keys.ts";
import { checkL1 } from "./check-l1.ts";
import { checkMachine } from "./check-machine.ts";
import { checkPorts } from "./check-ports.ts";
import { checkProofs } from "./check-proofs.ts";
import { type Finding, failOf, findingLines } from "./finding.ts";

/** A check that an error of the operator ends becomes its finding: one fault does not hide the others. */
async function facts<T extends { findings: Finding[] }>(
  check: string,
  work: () => Promise<T>,
): Promise<T | { findings: Finding[]; generation?: undefined }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { findings: [failOf(check, error)] };
  }
}

/** What a start refuses by the options and the files that they name, as it says it. */
function refusals(faults: readonly OperatorError[], others: readonly Finding[]): Finding[] {
  const told = new Set(others.map(({ text }) => text));
  return faults.map((error) => failOf("options", error)).filter(({ text }) => !told.has(text));
}

/** All findings about a configuration, in the order in which they are shown: what is quick to know comes first. */
export async function examine(configuration: Configuration, now: () => number = Date.now): Promise<Finding[]> {
  const { mode, faults } = await checkStart(configuration);
  const parts = partValues(configuration.values);
  const path = parts.storage.directory && resolve(parts.storage.directory);
  const holder = path === undefined ? undefined : directoryHolder(path);
  const [directory, keys] = await Promise.all([checkDirectory(path), checkKeys(parts)]);
  const { publishers } = keys;
  const stored = directory.identity !== undefined;
  const { followsL1 = mode === undefined, hasNodePorts = mode === undefined } = mode ?? {};
  const [l1, ports, database] = await Promise.all([
    followsL1 ? facts("L1", () => checkL1({ values: parts, stored, publishers, now })) : undefined,
    hasNodePorts ? checkPorts(parts, holder !== undefined) : [],
    facts("HA database", async () => ({ findings: [await checkHa(parts.signing)] })),
  ]);
  // Of a new data directory only the rollup knows it; a mode that asks no rollup has what its store says.
  const storeTells = stored || !followsL1;
  const ofStore = storeTells ? generationNamed(directory.identity?.generation) : undefined;
  const generation = l1?.generation ?? ofStore;
  const proofs = await checkProofs(parts.proofs, generation?.transactions.proofProgram);
  const machine = [...checkMachine(), ...directory.findings, ...ports, ...keys.findings];
  const outside = [...(l1?.findings ?? []), ...database.findings, proofs];
  return [...refusals(faults, [...machine, ...outside]), ...machine, ...outside];
}

/** Prints a line and a remedy for each finding. Exit code 1 if something fails. */
export async function runDoctor(configuration: Configuration, json: boolean): Promise<void> {
  const found = await examine(configuration);
  const count = (verdict: Finding["verdict"]): number => found.filter((finding) => finding.verdict === verdict).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (json) process.stdout.write(`${JSON.stringify({ failed, warned, findings: found }, undefined, 2)}\n`);
  else {
    const total = `${failed} failed, ${warned} warned, ${count("ok")} ok, ${count("skip")} skipped`;
    process.stdout.write(`${[...found.flatMap(findingLines), total].join("\n")}\n`);
  }
  if (failed > 0) process.exitCode = 1;
}
