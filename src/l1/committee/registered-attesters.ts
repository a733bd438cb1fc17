import { fromHex } from "../../protocol/bytes.ts";
import { gseAbi } from "../abi/gse.ts";
import { rollupAbi } from "../abi/rollup.ts";
import { read } from "../contracts/contract.ts";
import { L1EndpointError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { L1Block } from "../types.ts";

/** Attesters per call. */
const PER_CALL = 1_000;
/** More cannot be real: each has a stake. */
const MAX_ATTESTERS = 1_000_000;

/** Addresses (20 bytes) of all attesters of the rollup at an L1 block. Throws the errors of read. */
export async function registeredAttesters(rpc: L1Rpc, rollupAddress: string, at: L1Block): Promise<Uint8Array[]> {
  const rollup = { name: "Rollup", address: rollupAddress, abi: rollupAbi };
  const [count, gseAddress] = await Promise.all([
    read(rpc, rollup, "getActiveAttesterCount", [], at.number),
    read(rpc, rollup, "getGSE", [], at.number),
  ]);
  if (count > BigInt(MAX_ATTESTERS)) {
    const fields = { url: rpc.urls[0], method: "eth_call" };
    throw new L1EndpointError("nonsense", `getActiveAttesterCount must be ${MAX_ATTESTERS} at most`, fields);
  }
  const gse = { name: "GSE", address: gseAddress.toLowerCase(), abi: gseAbi };
  const attesters: Uint8Array[] = [];
  for (let first = 0; first < Number(count); first += PER_CALL) {
    const length = Math.min(PER_CALL, Number(count) - first);
    const indices = Array.from({ length }, (_, i) => BigInt(first + i));
    const args = [rollupAddress as `0x${string}`, BigInt(at.timestamp), indices] as const;
    attesters.push(...(await read(rpc, gse, "getAttestersFromIndicesAtTime", args, at.number)).map(fromHex));
  }
  return attesters;
}
