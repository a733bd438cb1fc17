import { gseAbi } from "../abi/gse.ts";
import { read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { G1Coordinates } from "./validator-keys.ts";

/** The point that a proof of possession of a key signs, as the contract of stakes says. Throws the errors of read. */
export async function contractDigest(rpc: L1Rpc, gseAddress: string, publicKey: G1Coordinates): Promise<G1Coordinates> {
  const gse = { name: "GSE", address: gseAddress, abi: gseAbi };
  return read(rpc, gse, "getRegistrationDigest", [publicKey]);
}
