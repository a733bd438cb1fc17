import { fromHex } from "../../bytes.ts";
import { fr } from "../../field.ts";
import type { ContractRules } from "../contracts.ts";
import published from "./data/protocol-contracts.json" with { type: "json" };
import { INSTANCE_VERSION, instanceAddress, readInstancePublished } from "./instances.ts";
import { DEFAULT_PUBLIC_KEYS, PUBLIC_KEY_MEMBERS, publicKeyHash, publicKeysHash } from "./public-keys.ts";

/**
 * Six protocol contracts (docs/protocol/01-fields-and-hashing.md#123-protocol-contracts).
 * scripts/fetch-protocol-contracts.ts writes their data.
 */
export const CONTRACTS: ContractRules = {
  vkTreeRoot: "0x1dd2644a17d1ddd8831287a78c5a1033b7ae35cdf2a3db833608856c062fc2ba",
  protocolContractsHash: "0x2672340d9a0107a7b81e6d10d25b854debe613f3272e8738e8df0ca2ff297141",
  protocolContracts: published.contracts.map((contract) => ({
    name: contract.name,
    address: fr(contract.address),
    classId: fromHex(contract.classId),
    artifactHash: fromHex(contract.artifactHash),
    privateFunctionsRoot: fromHex(contract.privateFunctionsRoot),
    packedBytecode: new Uint8Array(Buffer.from(contract.packedBytecode, "base64")),
  })),
  compilerVersion: published.compiler,
  authRegistry: fr(1),
  instanceRegistry: fr(2),
  classRegistry: fr(3),
  multiCallEntrypoint: fr(4),
  feeJuice: fr(5),
  instanceVersion: INSTANCE_VERSION,
  bindsImmutables: false,
  publicKeyMembers: PUBLIC_KEY_MEMBERS,
  defaultPublicKeys: DEFAULT_PUBLIC_KEYS,
  readInstancePublished,
  publicKeyHash,
  publicKeysHash,
  instanceAddress,
};
