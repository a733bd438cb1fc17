import type { ContractInstance } from "../../../archiver/content-types.ts";
import { FR_ZERO } from "../../../protocol/field.ts";
import type { JsonWriter } from "../json-writer.ts";
import { writeInstanceHead, writeKeyPoints } from "../v4/contract.ts";

/** An instance and the hashes of its nullifier, outgoing viewing and tagging keys. */
export interface HashedInstance {
  instance: ContractInstance;
  npkMHash: Uint8Array;
  ovpkMHash: Uint8Array;
  tpkMHash: Uint8Array;
}

/**
 * ContractInstanceWithAddress (sheet 03 section 10). Addresses of this protocol version bind no immutables, so their hash is
 * zero. The keys are shown as hashes and as the points that the address was derived from.
 */
export function encodeInstance(out: JsonWriter, { instance, npkMHash, ovpkMHash, tpkMHash }: HashedInstance): void {
  writeInstanceHead(out, instance);
  out.text(',"immutablesHash":').word(FR_ZERO);
  out.text(',"publicKeys":{"npkMHash":').word(npkMHash);
  out.text(',"ivpkM":').hex(instance.publicKeys, 64, 128);
  out.text(',"ovpkMHash":').word(ovpkMHash);
  out.text(',"tpkMHash":').word(tpkMHash).text(",");
  writeKeyPoints(out, instance);
  out.text('},"address":').word(instance.address).text("}");
}
