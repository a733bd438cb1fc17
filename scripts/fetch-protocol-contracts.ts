/**
 * Writes src/protocol/generations/v4/data/protocol-contracts.json from the published protocol contracts: the facts a node needs of
 * their classes and nothing else. The package is read as data; none of its code runs. Needs the built WASM core (npm
 * run build:wasm), npm and tar.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contractClassId, publicBytecodeCommitment } from "../src/core/derive/contract-class.ts";
import { loadCore } from "../src/core/load-core.ts";
import { fromHex, toHex } from "../src/protocol/bytes.ts";
import { PackageError, PublishedPackage } from "./published-package.ts";

const PACKAGE = "@aztec/protocol-contracts@4.1.2";
const INTEGRITY = "sha512-q88cgeY/UccF7gEnz+6Nj/7kNEc+0V8VR+w48QXdgQEVjlWDtBKIzH/DCQ/JGYJFCDQOw8wTuRHGaA40/57iSg==";
/** In ascending order of their addresses, 1 to 6. */
const NAMES = [
  "AuthRegistry",
  "ContractInstanceRegistry",
  "ContractClassRegistry",
  "MultiCallEntrypoint",
  "FeeJuice",
  "PublicChecks",
];
const OUTPUT = new URL("../src/protocol/generations/v4/data/protocol-contracts.json", import.meta.url);

/** The 32-byte hex constant `name` of a contract inside the constant object `section`. */
function constant(source: string, section: string, contract: string, name = ""): string {
  const object = source.slice(source.indexOf(`export const ${section} =`));
  const found = new RegExp(`\\b${contract}: [^]*?${name}[^]*?'(0x[0-9a-f]{64})'`).exec(object);
  if (found === null) throw new PackageError(PACKAGE, `${section}.${contract}`, "no constant of 32 bytes");
  return found[1];
}

function dispatchBytecode(artifact: string, contract: string): string {
  const { functions }: { functions: { name: string; bytecode: string }[] } = JSON.parse(artifact);
  const dispatch = functions.find(({ name }) => name === "public_dispatch");
  if (dispatch === undefined) throw new PackageError(PACKAGE, contract, "has no public_dispatch function");
  return dispatch.bytecode;
}

/** Version of the compiler that made an artifact, without the commit that the compiler was built from. */
function compilerVersion(artifact: string, contract: string): string {
  const { noir_version: version }: { noir_version?: unknown } = JSON.parse(artifact);
  if (typeof version !== "string") throw new PackageError(PACKAGE, contract, "has no noir_version");
  return version.split("+", 1)[0];
}

const core = loadCore();
const folder = mkdtempSync(join(tmpdir(), "protocol-contracts-"));
try {
  const published = new PublishedPackage(PACKAGE, INTEGRITY, folder);
  const source = published.text("dest/protocol_contract_data.js");
  const compilers = new Set<string>();
  const contracts = NAMES.map((name, i) => {
    const classId = constant(source, "ProtocolContractClassId", name);
    const artifactHash = constant(source, "ProtocolContractClassIdPreimage", name, "artifactHash");
    const privateFunctionsRoot = constant(source, "ProtocolContractClassIdPreimage", name, "privateFunctionsRoot");
    const artifact = published.text(`artifacts/${name}.json`);
    const packedBytecode = dispatchBytecode(artifact, name);
    compilers.add(compilerVersion(artifact, name));
    const commitment = publicBytecodeCommitment(core, new Uint8Array(Buffer.from(packedBytecode, "base64")));
    const derived = toHex(contractClassId(core, fromHex(artifactHash), fromHex(privateFunctionsRoot), commitment));
    if (derived !== classId) throw published.error(name, `its parts give class id ${derived}, not ${classId}`);
    return { name, address: i + 1, classId, artifactHash, privateFunctionsRoot, packedBytecode };
  });
  const [compiler, ...others] = compilers;
  if (others.length > 0) throw published.error("artifacts", `made by several compilers: ${[...compilers].join(", ")}`);
  writeFileSync(OUTPUT, `${JSON.stringify({ source: PACKAGE, compiler, contracts }, undefined, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
