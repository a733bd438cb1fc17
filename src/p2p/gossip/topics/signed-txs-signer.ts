import { setImmediate } from "node:timers/promises";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { type SignedTxs, signedTxsPayload } from "../../../protocol/consensus/signed-txs.ts";
import { messageSigner } from "../../../protocol/consensus/wire-signature.ts";
import type { ConsensusContext } from "./consensus-context.ts";

/** Hashed between two turns of the event loop, some 5 ms. */
const BYTES_PER_TURN = 128 * 1024;

/** Who signed the txs that came with a block, which may have 10 MiB; other work goes on while they are hashed. */
export async function signedTxsSignerInTurns(
  signed: SignedTxs,
  { recover, rollup }: Pick<ConsensusContext, "recover" | "rollup">,
): Promise<Uint8Array | undefined> {
  const payload = signedTxsPayload(signed, rollup);
  const hash = keccak_256.create();
  for (let at = 0; at < payload.length; at += BYTES_PER_TURN) {
    if (at > 0) await setImmediate();
    hash.update(payload.subarray(at, at + BYTES_PER_TURN));
  }
  return messageSigner("signedTxs", hash.digest(), signed.signature, recover, rollup);
}
