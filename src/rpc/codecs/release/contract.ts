import type { ContractClass, ContractInstance } from "../../../archiver/content-types.ts";
import type { ApiRules } from "../../../protocol/generations/api.ts";
import type { ContractRules } from "../../../protocol/generations/contracts.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_NUMBER, base64, FIELD, L2_ADDRESS, POINT } from "../json/scalars.ts";

/** All members before the public keys. */
export function writeInstanceHead(
  out: JsonWriter,
  instance: ContractInstance,
  { instanceVersion }: ContractRules,
): void {
  out.text(`{"version":${instanceVersion},"salt":`).word(instance.salt);
  out.text(',"deployer":').word(instance.deployer);
  out.text(',"currentContractClassId":').word(instance.currentContractClassId);
  out.text(',"originalContractClassId":').word(instance.originalContractClassId);
  out.text(',"initializationHash":').word(instance.initializationHash);
}

export const instanceMembers = ({ instanceVersion }: ContractRules) => ({
  version: about({ const: instanceVersion }, "Version of this form."),
  salt: about(FIELD, "Makes the address one of many."),
  deployer: about(L2_ADDRESS, "Who may deploy it; zero for anyone."),
  currentContractClassId: about(FIELD, "Id of the class that its code is of."),
  originalContractClassId: about(FIELD, "Id of the class that it was deployed with."),
  initializationHash: about(FIELD, "Hash of the call that initializes it; zero without one."),
});

/** Names of the four master keys in stored order, x and y each. */
const KEYS = [
  "masterNullifierPublicKey",
  "masterIncomingViewingPublicKey",
  "masterOutgoingViewingPublicKey",
  "masterTaggingPublicKey",
] as const;

/** ContractInstanceWithAddress of the release (docs/protocol/05-rpc.md#528-contracts). */
export function releaseInstanceEncoder(rules: ContractRules): Encoder<ContractInstance> {
  const schema = record("ReleaseContractInstanceWithAddress", "A deployed contract.", {
    ...instanceMembers(rules),
    publicKeys: record(
      "ReleasePublicKeys",
      "A contract's public keys.",
      Object.fromEntries(KEYS.map((name) => [name, POINT])),
    ),
    address: L2_ADDRESS,
  });
  return encoder(schema, (out, instance) => {
    writeInstanceHead(out, instance, rules);
    out.text(',"publicKeys":{');
    for (const [i, name] of KEYS.entries()) {
      out.text(`${i === 0 ? "" : ","}"${name}":`).hex(instance.publicKeys, 64 * i, 64 * (i + 1));
    }
    out.text('},"address":').word(instance.address).text("}");
  });
}

const EMPTY = { type: "array", maxItems: 0 };

const FUNCTION_LISTS = {
  privateFunctions: about(EMPTY, "Always empty: none is published with a class."),
  utilityFunctions: about(EMPTY, "Always empty: none is published with a class."),
};

/** ContractClassPublic. All functions of a class on the chain are in its packed bytecode. */
export function contractClassEncoder({ showsClassFunctions }: ApiRules): Encoder<ContractClass> {
  const schema = record("ContractClassPublic", "A contract class as it was published.", {
    l2BlockNumber: about(BLOCK_NUMBER, "The block that published it; 0 for those of the protocol."),
    version: about({ const: 1 }, "Version of this form."),
    artifactHash: about(FIELD, "Hash of its artifact."),
    ...(showsClassFunctions ? FUNCTION_LISTS : {}),
    packedBytecode: base64("PackedBytecode", "The bytecode of a class's public functions, base64."),
    privateFunctionsRoot: about(FIELD, "Root of the tree of its private functions."),
    id: about(FIELD, "Its id: the hash of its parts."),
  });
  const functions = showsClassFunctions ? ',"privateFunctions":[],"utilityFunctions":[]' : "";
  return encoder(schema, (out, contractClass) => {
    out.text(`{"l2BlockNumber":${contractClass.blockNumber},"version":1,"artifactHash":`);
    out.word(contractClass.artifactHash);
    out.text(`${functions},"packedBytecode":`).base64(contractClass.packedBytecode);
    out.text(',"privateFunctionsRoot":').word(contractClass.privateFunctionsRoot);
    out.text(',"id":').word(contractClass.id).text("}");
  });
}
