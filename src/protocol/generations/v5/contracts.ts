import { fromHex } from "../../bytes.ts";
import { fr } from "../../field.ts";
import type { ContractRules } from "../contracts.ts";
import published from "./data/protocol-contracts.json" with { type: "json" };
import { INSTANCE_VERSION, instanceAddress, readInstancePublished } from "./instances.ts";
import { DEFAULT_PUBLIC_KEYS, PUBLIC_KEY_MEMBERS, publicKeyHash, publicKeysHash } from "./public-keys.ts";

/**
 * Three protocol contracts (docs/protocol/01-fields-and-hashing.md#123-protocol-contracts).
 * scripts/fetch-protocol-contracts.ts writes their data.
 */
export const CONTRACTS: ContractRules = {
  vkTreeRoot: "0x2b3b6ea4412b9c8f6457a37f91a2870306f8641e07e16a49b68bda6f8bc02892",
  protocolContractsHash: "0x2c075866eafc88a1f6f9addc7e337c6e64e45d1cb7fd7c0d612ebcec72aab2ca",
  protocolContracts: published.contracts.map((contract) => ({
    name: contract.name,
    address: fr(contract.address),
    classId: fromHex(contract.classId),
    artifactHash: fromHex(contract.artifactHash),
    privateFunctionsRoot: fromHex(contract.privateFunctionsRoot),
    packedBytecode: new Uint8Array(Buffer.from(contract.packedBytecode, "base64")),
  })),
  compilerVersion: published.compiler,
  classRegistry: fr(1),
  instanceRegistry: fr(2),
  feeJuice: fr(3),
  // Ordinary contracts; these are their addresses with salt 1 and no deployer.
  authRegistry: fromHex("0x1e8e7e73c592a1b1c9199b4b655ddc7a16fa8a8488df595610b71d3dc1cc666c"),
  multiCallEntrypoint: fromHex("0x246d60af8b79a5dceece7d2388921203401c0df02ce674c5781c6c2162922986"),
  instanceVersion: INSTANCE_VERSION,
  bindsImmutables: true,
  publicKeyMembers: PUBLIC_KEY_MEMBERS,
  defaultPublicKeys: DEFAULT_PUBLIC_KEYS,
  readInstancePublished,
  publicKeyHash,
  publicKeysHash,
  instanceAddress,
};
