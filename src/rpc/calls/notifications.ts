import type { RpcAnswer } from "../jsonrpc/answer.ts";

/** What stands for the answer to a notification, and to a batch of nothing else: it is not sent. */
export const NO_ANSWER: RpcAnswer = { status: 204, body: new Uint8Array() };

/** Whether a parsed call is a notification: it has no id (JSON-RPC 2.0 section 4.1). */
export function isNotification(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return false;
  const { id, method } = item as { id?: unknown; method?: unknown };
  return id === undefined && typeof method === "string" && method !== "";
}
