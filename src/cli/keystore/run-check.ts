import { statSync } from "node:fs";
import { resolve } from "node:path";
import { jsonFilesIn } from "../../keystore/accounts.ts";
import { KeystoreError } from "../../keystore/errors.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import { readKeystore } from "../../keystore/load-keystore.ts";
import { checkRemoteAccounts } from "../../keystore/remote-signer-check.ts";
import { checksumAddress } from "../../protocol/l1-address-text.ts";
import { KeyCommandError } from "../validator-keys/errors.ts";
import {
  type SigningAccount,
  signingAccount,
  type ValidatorFacts,
  validatorFacts,
  validatorLines,
} from "../validator-keys/report.ts";

/** What a check found. `problems` keep a node from starting or a validator from signing; warnings do not. */
export interface KeystoreReport {
  validators: ValidatorFacts[];
  /** Null if the keystore has none. */
  prover: { id: string; publishers: SigningAccount[] } | null;
  remoteSigners: { host: string; accounts: number; ok: boolean }[];
  warnings: string[];
  problems: string[];
}

/** Loads a keystore as a node does, and its BLS keys and remote signers too. Throws KeystoreError if it is unusable. */
export async function checkKeystore(path: string): Promise<KeystoreReport> {
  const warnings = readableByOthers(path);
  const keystore = await readKeystore(path, (facts, message) => {
    warnings.push(`${Object.values(facts).join(" ")}: ${message}`);
  });
  const validators = await validatorFacts(keystore);
  return { validators, prover: proverFacts(keystore), warnings, ...(await askSigners(keystore)) };
}

function proverFacts({ prover }: Keystore): KeystoreReport["prover"] {
  return prover === undefined
    ? null
    : { id: checksumAddress(prover.id), publishers: prover.publishers.map(signingAccount) };
}

/** Asks each remote signer once for its accounts. */
async function askSigners(keystore: Keystore): Promise<Pick<KeystoreReport, "remoteSigners" | "problems">> {
  const remote = keystore.remoteAccounts();
  let problems: string[] = [];
  try {
    await checkRemoteAccounts(keystore, { waitsMs: [] });
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    problems = error.issues.map(({ field, rule }) => `${field} ${rule}`);
  }
  const hosts = [...new Set(remote.map(({ signer }) => new URL(signer.url).host))];
  const remoteSigners = hosts.map((host) => ({
    host,
    accounts: new Set(remote.filter(({ signer }) => new URL(signer.url).host === host).map(({ address }) => address))
      .size,
    ok: !problems.some((problem) => problem.startsWith(`remote signer ${host} `)),
  }));
  return { remoteSigners, problems };
}

/** Warnings of keystore files that other users of the machine can read. */
function readableByOthers(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const files = found.isDirectory() ? jsonFilesIn(path) : [path];
  return files
    .map((file) => ({ file, mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ file, mode }) => `${file}: can be read by other users (mode ${(mode & 0o777).toString(8)}): chmod 600`);
}

function reportText({ validators, prover, remoteSigners, warnings, problems }: KeystoreReport): string {
  const lines = [
    ...(prover === null ? [] : [`prover ${prover.id}`]),
    ...(prover?.publishers ?? []).map(({ address, signer }) => `  publisher      ${address}  ${signer}`),
    ...remoteSigners.map(
      ({ host, accounts, ok }) => `remote signer ${host}: ${ok ? `holds all ${accounts} accounts` : "FAILED"}`,
    ),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...problems.map((problem) => `problem: ${problem}`),
    problems.length === 0 ? `validators that can sign: ${validators.length}` : `problems: ${problems.length}`,
  ];
  return `${validatorLines(validators)}${lines.join("\n")}\n`;
}

/** Prints the report of a check. The exit code is 1 if there is a problem. Throws KeystoreError or KeyCommandError. */
export async function runCheck(given: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const path = given ?? process.env.KEY_STORE_DIRECTORY;
  if (!path)
    throw new KeyCommandError("PATH", "is missing: give a keystore file or folder, or set KEY_STORE_DIRECTORY");
  let report: KeystoreReport;
  try {
    report = await checkKeystore(resolve(path));
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    const problems = error.issues.map((issue) => new KeystoreError([issue]).message);
    report = { validators: [], prover: null, remoteSigners: [], warnings: [], problems };
  }
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  if (report.problems.length > 0) process.exitCode = 1;
}
