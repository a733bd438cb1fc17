import type { ContractClass, ContractInstance } from "../../../archiver/content-types.ts";
import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_NUMBER, base64, FIELD, L2_ADDRESS, POINT } from "../json/scalars.ts";

/** Names of the four master keys in stored order. */
const KEYS = [
  "masterNullifierPublicKey",
  "masterIncomingViewingPublicKey",
  "masterOutgoingViewingPublicKey",
  "masterTaggingPublicKey",
] as const;

/** All members before the public keys. */
export function writeInstanceHead(out: JsonWriter, instance: ContractInstance): void {
  out.text('{"version":1,"salt":').word(instance.salt);
  out.text(',"deployer":').word(instance.deployer);
  out.text(',"currentContractClassId":').word(instance.currentContractClassId);
  out.text(',"originalContractClassId":').word(instance.originalContractClassId);
  out.text(',"initializationHash":').word(instance.initializationHash);
}

/** The keys as points, separated by commas. */
export function writeKeyPoints(out: JsonWriter, { publicKeys }: ContractInstance): void {
  for (const [i, name] of KEYS.entries()) {
    out.text(`${i === 0 ? "" : ","}"${name}":`).hex(publicKeys, 64 * i, 64 * (i + 1));
  }
}

export const INSTANCE_MEMBERS = {
  version: about({ const: 1 }, "Version of this form."),
  salt: about(FIELD, "Makes the address one of many."),
  deployer: about(L2_ADDRESS, "Who may deploy it; zero for anyone."),
  currentContractClassId: about(FIELD, "Id of the class that its code is of."),
  originalContractClassId: about(FIELD, "Id of the class that it was deployed with."),
  initializationHash: about(FIELD, "Hash of the call that initializes it; zero without one."),
};
export const KEY_POINTS = {
  masterNullifierPublicKey: POINT,
  masterIncomingViewingPublicKey: POINT,
  masterOutgoingViewingPublicKey: POINT,
  masterTaggingPublicKey: POINT,
};
const INSTANCE = record("ReleaseContractInstanceWithAddress", "A deployed contract.", {
  ...INSTANCE_MEMBERS,
  publicKeys: record("ReleasePublicKeys", "A contract's public keys.", KEY_POINTS),
  address: L2_ADDRESS,
});

/** ContractInstanceWithAddress (docs/protocol/05-rpc.md#528-contracts). */
export const encodeInstance = encoder<ContractInstance>(INSTANCE, (out, instance) => {
  writeInstanceHead(out, instance);
  out.text(',"publicKeys":{');
  writeKeyPoints(out, instance);
  out.text('},"address":').word(instance.address).text("}");
});

const EMPTY = { type: "array", maxItems: 0 };

const CONTRACT_CLASS = record("ContractClassPublic", "A contract class as it was published.", {
  l2BlockNumber: about(BLOCK_NUMBER, "The block that published it; 0 for those of the protocol."),
  version: about({ const: 1 }, "Version of this form."),
  artifactHash: about(FIELD, "Hash of its artifact."),
  privateFunctions: about(EMPTY, "Always empty: none is published with a class."),
  utilityFunctions: about(EMPTY, "Always empty: none is published with a class."),
  packedBytecode: base64("PackedBytecode", "The bytecode of a class's public functions, base64."),
  privateFunctionsRoot: about(FIELD, "Root of the tree of its private functions."),
  id: about(FIELD, "Its id: the hash of its parts."),
});

/** ContractClassPublic. All functions of a class on the chain are in its packed bytecode. */
export const encodeContractClass = encoder<ContractClass>(CONTRACT_CLASS, (out, contractClass) => {
  out.text(`{"l2BlockNumber":${contractClass.blockNumber},"version":1,"artifactHash":`);
  out.word(contractClass.artifactHash);
  out.text(',"privateFunctions":[],"utilityFunctions":[],"packedBytecode":').base64(contractClass.packedBytecode);
  out.text(',"privateFunctionsRoot":').word(contractClass.privateFunctionsRoot);
  out.text(',"id":').word(contractClass.id).text("}");
});
