import { readFileSync } from "node:fs";
import type { Abi, AbiParameter } from "viem";
import { ArtifactsMissingError, LinkError } from "./errors.ts";

export type ContractName =
  | "CoinIssuer"
  | "DateGatedRelayer"
  | "FeeAssetHandler"
  | "GSE"
  | "Governance"
  | "GovernanceProposer"
  | "HonkVerifier"
  | "MockVerifier"
  | "MockZKPassportVerifier"
  | "MultiAdder"
  | "Registry"
  | "Rollup"
  | "SlashFactory"
  | "StakingAssetHandler"
  | "TestERC20";

/** Libraries of the rollup contract, in the order of their deployment. */
export const ROLLUP_LIBRARIES = [
  "ValidatorOperationsExtLib",
  "RewardExtLib",
  "RollupOperationsExtLib",
  "TallySlasherDeploymentExtLib",
  "EmpireSlasherDeploymentExtLib",
] as const;
type LibraryName = (typeof ROLLUP_LIBRARIES)[number];

/** Artifact of a contract to deploy (written by scripts/l1-artifacts.ts). */
export interface Artifact {
  name: string;
  /** Constructor and functions. */
  abi: Abi;
  /** Parameters of the constructor. */
  parameters: readonly AbiParameter[];
  /** Unlinked: zeros in place of the library addresses of `links`. */
  creationCode: Uint8Array;
  /** Byte offsets of 20-byte addresses, by library. */
  links: readonly { library: string; at: readonly number[] }[];
}

/** This file is src/l1/deploy/ of the package as source, and build/src/l1/deploy/ of it when compiled. */
function folder(): URL {
  const fromHere = import.meta.url.endsWith(".ts") ? "../../../build/l1-artifacts/" : "../../../l1-artifacts/";
  return new URL(fromHere, import.meta.url);
}

function readJson(file: string): unknown {
  const url = new URL(file, folder());
  try {
    return JSON.parse(readFileSync(url, "utf8"));
  } catch (cause) {
    throw new ArtifactsMissingError(url.pathname, { cause });
  }
}

/** Throws ArtifactsMissingError. */
export function readArtifact(name: ContractName | LibraryName): Artifact {
  const { abi, creationCode, links } = readJson(`${name}.json`) as {
    abi: Abi;
    creationCode: string;
    links: Artifact["links"];
  };
  return {
    name,
    abi,
    parameters: abi.find((item) => item.type === "constructor")?.inputs ?? [],
    creationCode: new Uint8Array(Buffer.from(creationCode, "base64")),
    links,
  };
}

/** Every error that the contracts revert with. Throws ArtifactsMissingError. */
export function readErrorsAbi(): Abi {
  return readJson("errors.json") as Abi;
}

/** Creation code linked with the addresses (20 bytes) of its libraries. Throws LinkError if one is missing. */
export function linked(artifact: Artifact, libraries: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const code = artifact.creationCode.slice();
  for (const { library, at } of artifact.links) {
    const address = libraries.get(library);
    if (address === undefined) throw new LinkError(artifact.name, library);
    for (const offset of at) code.set(address, offset);
  }
  return code;
}
