import type { ContractInstance } from "../../../archiver/content-types.ts";
import { FR_ZERO } from "../../../protocol/field.ts";
import type { ContractRules, PublicKeyMember } from "../../../protocol/generations/contracts.ts";
import type { FieldHasher } from "../../../protocol/generations/hashing.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, type JsonSchema, record } from "../json/json-schema.ts";
import { FIELD, L2_ADDRESS, POINT } from "../json/scalars.ts";
import { instanceMembers, writeInstanceHead } from "../release/contract.ts";

const FORMS: Readonly<Record<PublicKeyMember["form"], JsonSchema>> = {
  point: about(POINT, "The key, a point."),
  hash: about(FIELD, "Hash of the key."),
  "hash of point": about(FIELD, "Hash of the key that is shown as a point too."),
};

/** ContractInstanceWithAddress (docs/protocol/05-rpc.md#528-contracts). */
export function instanceEncoder(rules: ContractRules, hasher: FieldHasher): Encoder<ContractInstance> {
  const keys = Object.fromEntries(rules.publicKeyMembers.map(({ name, form }) => [name, FORMS[form]]));
  const schema = record("ContractInstanceWithAddress", "A deployed contract.", {
    ...instanceMembers(rules),
    immutablesHash: about(FIELD, "Hash of the values that its address binds; zero without any."),
    publicKeys: record("PublicKeys", "A contract's public keys.", keys),
    address: L2_ADDRESS,
  });
  return encoder(schema, (out, instance) => {
    const { publicKeys, immutablesHash = FR_ZERO } = instance;
    writeInstanceHead(out, instance, rules);
    out.text(',"immutablesHash":').word(immutablesHash);
    out.text(',"publicKeys":{');
    for (const [i, { name, at, form }] of rules.publicKeyMembers.entries()) {
      out.text(`${i === 0 ? "" : ","}"${name}":`);
      if (form === "point") out.hex(publicKeys, at, at + 64);
      else if (form === "hash") out.word(publicKeys, at);
      else out.word(rules.publicKeyHash(hasher, publicKeys.subarray(at, at + 64)));
    }
    out.text('},"address":').word(instance.address).text("}");
  });
}
