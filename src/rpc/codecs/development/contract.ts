import type { ContractInstance } from "../../../archiver/content-types.ts";
import { FR_ZERO } from "../../../protocol/field.ts";
import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import { FIELD, L2_ADDRESS, POINT } from "../json/scalars.ts";
import { INSTANCE_MEMBERS, KEY_POINTS, writeInstanceHead, writeKeyPoints } from "../release/contract.ts";

/** An instance and the hashes of its nullifier, outgoing viewing and tagging keys. */
export interface HashedInstance {
  instance: ContractInstance;
  npkMHash: Uint8Array;
  ovpkMHash: Uint8Array;
  tpkMHash: Uint8Array;
}

/**
 * ContractInstanceWithAddress (docs/protocol/05-rpc.md#528-contracts). Addresses of this protocol version do not commit
 * to immutables, so their hash is zero. The keys are shown as hashes and as the points that the address is derived
 * from.
 */
const keyHash = (name: string) => about(FIELD, `Hash of the master ${name} key.`);
const INSTANCE = record("ContractInstanceWithAddress", "A deployed contract.", {
  ...INSTANCE_MEMBERS,
  immutablesHash: about(FIELD, "Always zero: addresses of this protocol version bind no immutables."),
  publicKeys: record(
    "PublicKeys",
    "A contract's public keys, as hashes and as the points that its address is derived from.",
    {
      npkMHash: keyHash("nullifier"),
      ivpkM: about(POINT, "The master incoming viewing key."),
      ovpkMHash: keyHash("outgoing viewing"),
      tpkMHash: keyHash("tagging"),
      ...KEY_POINTS,
    },
  ),
  address: L2_ADDRESS,
});

export const encodeInstance = encoder<HashedInstance>(INSTANCE, (out, { instance, npkMHash, ovpkMHash, tpkMHash }) => {
  writeInstanceHead(out, instance);
  out.text(',"immutablesHash":').word(FR_ZERO);
  out.text(',"publicKeys":{"npkMHash":').word(npkMHash);
  out.text(',"ivpkM":').hex(instance.publicKeys, 64, 128);
  out.text(',"ovpkMHash":').word(ovpkMHash);
  out.text(',"tpkMHash":').word(tpkMHash).text(",");
  writeKeyPoints(out, instance);
  out.text('},"address":').word(instance.address).text("}");
});
