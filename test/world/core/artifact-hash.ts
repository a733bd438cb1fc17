import { hash } from "node:crypto";
import type { Core } from "../../../src/core/core.ts";
import { bigUintBytes, concat } from "../../../src/protocol/bytes.ts";
import { FR_ZERO, type Fr } from "../../../src/protocol/field.ts";

const VERSION = Uint8Array.of(1);

/**
 * SHA-256 as an integer mod p: for artifact hashes only
 * (docs/protocol/01-fields-and-hashing.md#111-sha-256-and-keccak).
 */
export function sha256Reduced(core: Core, bytes: Uint8Array): Fr {
  return core.field.add(hash("sha256", bytes, "buffer"), FR_ZERO);
}

/** Artifact hash (docs/protocol/01-fields-and-hashing.md#120-contract-classes). */
export function artifactHash(core: Core, privateRoot: Fr, utilityRoot: Fr, metadataHash: Fr): Fr {
  return sha256Reduced(core, concat(VERSION, privateRoot, utilityRoot, metadataHash));
}

/** Leaf of an artifact's function trees (docs/protocol/01-fields-and-hashing.md#120-contract-classes). */
export function functionArtifactHash(core: Core, selector: number, metadataHash: Fr, bytecode: Uint8Array): Fr {
  return sha256Reduced(
    core,
    concat(VERSION, bigUintBytes(BigInt(selector), 4), metadataHash, sha256Reduced(core, bytecode)),
  );
}
