import { toHex } from "../../protocol/bytes.ts";
import { L1Error, L1RpcError, L1UnavailableError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { isKnown } from "./account-reads.ts";
import type { SignedTx } from "./transaction.ts";

/** "taken": the nonce was used by another transaction that is mined. "unsure": L1 may or may not have accepted it. */
type SendVerdict = { kind: "accepted" } | { kind: "refused" | "taken" | "unsure"; reason: string; cause: L1Error };

function answers(error: L1Error): readonly L1Error[] {
  return error instanceof L1UnavailableError ? error.failures : [error];
}

/** Sends a transaction to L1. A refusal counts only if L1 does not know the transaction. */
export async function sendRaw(rpc: L1Rpc, { hash, raw }: SignedTx): Promise<SendVerdict> {
  try {
    await rpc.request({ method: "eth_sendRawTransaction", params: [toHex(raw)], parse: (value) => value });
    return { kind: "accepted" };
  } catch (cause) {
    if (!(cause instanceof L1Error)) throw cause;
    const refusals = answers(cause).filter((failure): failure is L1RpcError => failure instanceof L1RpcError);
    const reason = refusals[0]?.rpcMessage ?? cause.rule;
    try {
      if (await isKnown(rpc, toHex(hash))) return { kind: "accepted" };
    } catch (error) {
      if (!(error instanceof L1Error)) throw error;
      return { kind: "unsure", reason, cause };
    }
    if (refusals.some(({ rpcMessage }) => /already known|already imported/i.test(rpcMessage)))
      return { kind: "accepted" };
    if (refusals.length < answers(cause).length) return { kind: "unsure", reason, cause };
    return { kind: /nonce too low|nonce .*lower/i.test(reason) ? "taken" : "refused", reason, cause };
  }
}
