/**
 * Writes data/protocol-contracts.json of each generation from the published protocol contracts: the facts a node needs
 * of their classes and nothing else. The packages are read as data; none of their code runs. Needs the built WASM core
 * (npm run build:wasm), npm and tar.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contractClassId, publicBytecodeCommitment } from "../src/core/derive/contract-class.ts";
import { loadCore } from "../src/core/load-core.ts";
import { fromHex, toHex } from "../src/protocol/bytes.ts";
import { PublishedPackage } from "./published-package.ts";

const GENERATIONS_FOLDER = new URL("../src/protocol/generations/", import.meta.url);

interface GenerationSource {
  folder: string;
  /** Name and version of the package. */
  source: string;
  integrity: string;
  /** In ascending order of their addresses, from 1. */
  names: string[];
}

const GENERATIONS: GenerationSource[] = [
  {
    folder: "v4",
    source: "@aztec/protocol-contracts@4.1.2",
    integrity: "sha512-q88cgeY/UccF7gEnz+6Nj/7kNEc+0V8VR+w48QXdgQEVjlWDtBKIzH/DCQ/JGYJFCDQOw8wTuRHGaA40/57iSg==",
    names: [
      "AuthRegistry",
      "ContractInstanceRegistry",
      "ContractClassRegistry",
      "MultiCallEntrypoint",
      "FeeJuice",
      "PublicChecks",
    ],
  },
  {
    folder: "v5",
    source: "@aztec/protocol-contracts@5.2.0",
    integrity: "sha512-nH/rzvzetOZQ1og8F5OWP31w7R2Q8Gc6XKE1/xfRCmxaq/AvV7tJkkz9nphYPQK8E65IaCZmNeKwO/eMm2SJzw==",
    names: ["ContractClassRegistry", "ContractInstanceRegistry", "FeeJuice"],
  },
];

/** The 32-byte hex constant `name` of a contract inside the constant object `section`. */
function constant(published: PublishedPackage, section: string, contract: string, name = ""): string {
  const source = published.text("dest/protocol_contract_data.js");
  const object = source.slice(source.indexOf(`export const ${section} =`));
  const found = new RegExp(`\\b${contract}: [^]*?${name}[^]*?'(0x[0-9a-f]{64})'`).exec(object);
  if (found === null) throw published.error(`${section}.${contract}`, "no constant of 32 bytes");
  return found[1];
}

function dispatchBytecode(published: PublishedPackage, artifact: string, contract: string): string {
  const { functions }: { functions: { name: string; bytecode: string }[] } = JSON.parse(artifact);
  const dispatch = functions.find(({ name }) => name === "public_dispatch");
  if (dispatch === undefined) throw published.error(contract, "has no public_dispatch function");
  return dispatch.bytecode;
}

/** Version of the compiler that made an artifact, without the commit that the compiler was built from. */
function compilerVersion(published: PublishedPackage, artifact: string, contract: string): string {
  const { noir_version: version }: { noir_version?: unknown } = JSON.parse(artifact);
  if (typeof version !== "string") throw published.error(contract, "has no noir_version");
  return version.split("+", 1)[0];
}

const core = loadCore();

function writeContracts({ folder, source, integrity, names }: GenerationSource, downloads: string): void {
  const published = new PublishedPackage(source, integrity, downloads);
  const compilers = new Set<string>();
  const contracts = names.map((name, i) => {
    const classId = constant(published, "ProtocolContractClassId", name);
    const artifactHash = constant(published, "ProtocolContractClassIdPreimage", name, "artifactHash");
    const privateFunctionsRoot = constant(published, "ProtocolContractClassIdPreimage", name, "privateFunctionsRoot");
    const artifact = published.text(`artifacts/${name}.json`);
    const packedBytecode = dispatchBytecode(published, artifact, name);
    compilers.add(compilerVersion(published, artifact, name));
    const commitment = publicBytecodeCommitment(core, new Uint8Array(Buffer.from(packedBytecode, "base64")));
    const derived = toHex(contractClassId(core, fromHex(artifactHash), fromHex(privateFunctionsRoot), commitment));
    if (derived !== classId) throw published.error(name, `its parts give class id ${derived}, not ${classId}`);
    return { name, address: i + 1, classId, artifactHash, privateFunctionsRoot, packedBytecode };
  });
  const [compiler, ...others] = compilers;
  if (others.length > 0) throw published.error("artifacts", `made by several compilers: ${[...compilers].join(", ")}`);
  const output = new URL(`${folder}/data/protocol-contracts.json`, GENERATIONS_FOLDER);
  writeFileSync(output, `${JSON.stringify({ source, compiler, contracts }, undefined, 2)}\n`);
}

const downloads = mkdtempSync(join(tmpdir(), "protocol-contracts-"));
try {
  for (const generation of GENERATIONS) writeContracts(generation, downloads);
} finally {
  rmSync(downloads, { recursive: true, force: true });
}
