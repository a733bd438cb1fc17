/**
 * Writes build/l1-artifacts/: creation code, link references and functions of the L1 contracts that a deployment needs,
 * and the errors that they revert with, from the published package. The package is read as data; none of its code runs.
 * Does nothing where the files of this version are there. Needs npm and tar.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AbiItem, byteCode, constant, type LinkReference, linkReferences } from "./published-constants.ts";
import { PackageError, PublishedPackage } from "./published-package.ts";

const PACKAGE = "@aztec/l1-artifacts@4.1.2";
const INTEGRITY = "sha512-mTlLlYDFZW+54ocwhWOWd8eFROv7wyF9lOmqnaadVkKlQjG2ztJjMJLPN78GrJzx2ZJkyaa2aeGbNCRoZX1GlA==";
/** Version of the files below build/; files of another version are written again. */
const FORM = 1;
const CONTRACTS = [
  "CoinIssuer",
  "DateGatedRelayer",
  "EmpireSlasherDeploymentExtLib",
  "FeeAssetHandler",
  "GSE",
  "Governance",
  "GovernanceProposer",
  "HonkVerifier",
  "MockVerifier",
  "MockZKPassportVerifier",
  "MultiAdder",
  "Registry",
  "RewardExtLib",
  "Rollup",
  "RollupOperationsExtLib",
  "SlashFactory",
  "StakingAssetHandler",
  "TallySlasherDeploymentExtLib",
  "TestERC20",
  "ValidatorOperationsExtLib",
];
const OUTPUT = fileURLToPath(new URL("../build/l1-artifacts", import.meta.url));
const SOURCE = { package: PACKAGE, integrity: INTEGRITY, form: FORM };

function isWritten(): boolean {
  try {
    return readFileSync(join(OUTPUT, "source.json"), "utf8") === JSON.stringify(SOURCE);
  } catch {
    return false;
  }
}

function fetched(folder: string): PublishedPackage {
  try {
    return new PublishedPackage(PACKAGE, INTEGRITY, folder, ["--prefer-offline"]);
  } catch (cause) {
    if (cause instanceof PackageError) throw cause;
    const advice = "the build needs it once; run npm run build again where the npm registry can be reached";
    throw new PackageError(PACKAGE, "archive", `could not be fetched from the npm registry: ${advice}`, { cause });
  }
}

interface Artifact {
  /** ABI of the constructor and the functions. */
  abi: AbiItem[];
  /** Creation code in base64, with zeros in place of library addresses. */
  creationCode: string;
  links: LinkReference[];
}

function artifactOf(read: (file: string) => string, name: string, errors: Map<string, AbiItem>): Artifact {
  const source = read(`${name}Bytecode.js`);
  const links = linkReferences(constant(source, `${name}LinkReferences`));
  const code = byteCode(constant(source, `${name}Bytecode`), links);
  if (code === undefined)
    throw new PackageError(PACKAGE, name, "its creation code is not hex outside the link references");
  const abi = constant(read(`${name}Abi.js`), `${name}Abi`) as AbiItem[];
  for (const item of abi) if (item.type === "error") errors.set(JSON.stringify(item), item);
  const kept = abi.filter(({ type }) => type === "constructor" || type === "function");
  return { abi: kept, creationCode: code.toString("base64"), links };
}

function write(): void {
  const folder = mkdtempSync(join(tmpdir(), "l1-artifacts-"));
  const staging = `${OUTPUT}.${process.pid}`;
  try {
    const files = CONTRACTS.flatMap((name) => [`dest/${name}Abi.js`, `dest/${name}Bytecode.js`]);
    fetched(folder).unpack(files, folder);
    const read = (file: string) => readFileSync(join(folder, "package", "dest", file), "utf8");
    mkdirSync(dirname(OUTPUT), { recursive: true });
    mkdirSync(staging);
    const errors = new Map<string, AbiItem>();
    for (const name of CONTRACTS) {
      writeFileSync(join(staging, `${name}.json`), JSON.stringify(artifactOf(read, name, errors)));
    }
    writeFileSync(join(staging, "errors.json"), JSON.stringify([...errors.values()]));
    writeFileSync(join(staging, "source.json"), JSON.stringify(SOURCE));
    rmSync(OUTPUT, { recursive: true, force: true });
    renameSync(staging, OUTPUT);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(staging, { recursive: true, force: true });
  }
}

if (!isWritten()) {
  try {
    write();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
