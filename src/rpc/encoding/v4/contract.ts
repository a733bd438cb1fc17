import type { ContractClass, ContractInstance } from "../../../archiver/content-types.ts";
import type { JsonWriter } from "../json-writer.ts";

/** Names of the four master keys in their stored order. */
const KEYS = [
  "masterNullifierPublicKey",
  "masterIncomingViewingPublicKey",
  "masterOutgoingViewingPublicKey",
  "masterTaggingPublicKey",
] as const;

/** Everything up to the public keys. */
export function writeInstanceHead(out: JsonWriter, instance: ContractInstance): void {
  out.text('{"version":1,"salt":').word(instance.salt);
  out.text(',"deployer":').word(instance.deployer);
  out.text(',"currentContractClassId":').word(instance.currentContractClassId);
  out.text(',"originalContractClassId":').word(instance.originalContractClassId);
  out.text(',"initializationHash":').word(instance.initializationHash);
}

/** Members of the keys as points, each with a comma behind it but for the last. */
export function writeKeyPoints(out: JsonWriter, { publicKeys }: ContractInstance): void {
  for (const [i, name] of KEYS.entries()) {
    out.text(`${i === 0 ? "" : ","}"${name}":`).hex(publicKeys, 64 * i, 64 * (i + 1));
  }
}

/** ContractInstanceWithAddress (sheet 02 section 4.8). */
export function encodeInstance(out: JsonWriter, instance: ContractInstance): void {
  writeInstanceHead(out, instance);
  out.text(',"publicKeys":{');
  writeKeyPoints(out, instance);
  out.text('},"address":').word(instance.address).text("}");
}

/** ContractClassPublic. Functions of classes on the chain are all in the packed bytecode. */
export function encodeContractClass(out: JsonWriter, contractClass: ContractClass): void {
  out.text(`{"l2BlockNumber":${contractClass.blockNumber},"version":1,"artifactHash":`);
  out.word(contractClass.artifactHash);
  out.text(',"privateFunctions":[],"utilityFunctions":[],"packedBytecode":').base64(contractClass.packedBytecode);
  out.text(',"privateFunctionsRoot":').word(contractClass.privateFunctionsRoot);
  out.text(',"id":').word(contractClass.id).text("}");
}
