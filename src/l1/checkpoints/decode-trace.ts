import { toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { L1Error } from "../errors.ts";
import { address, bytes, list, record } from "../rpc/answers.ts";
import type { ProposeDecoder } from "./decoder.ts";
import { isProposeCall } from "./propose-call.ts";

/** A plain CALL that succeeded, as did all its callers. */
interface TracedCall {
  to: string;
  input: Uint8Array;
}

/** Calls of a `trace_transaction` result: a flat list whose items have a position (traceAddress) in the call tree. */
function flatCalls(value: unknown): TracedCall[] {
  const traces = list(value, "trace_transaction").map((item) => record(item, "trace"));
  const pathOf = (trace: Record<string, unknown>) => list(trace.traceAddress, "trace.traceAddress").map(Number);
  const failed = traces.filter((trace) => trace.error !== undefined && trace.error !== null).map(pathOf);
  const calls: TracedCall[] = [];
  for (const trace of traces) {
    if (trace.type !== "call") continue;
    const action = record(trace.action, "trace.action");
    if (action.callType !== "call") continue;
    const path = pathOf(trace);
    if (failed.some((above) => above.every((step, i) => step === path[i]))) continue;
    calls.push({ to: address(action.to, "trace.action.to"), input: bytes(action.input, "trace.action.input") });
  }
  return calls;
}

/** Calls of a `debug_traceTransaction` result with the callTracer: a tree. */
function treeCalls(value: unknown): TracedCall[] {
  const calls: TracedCall[] = [];
  const visit = (item: unknown) => {
    const call = record(item, "traced call");
    if (call.error !== undefined && call.error !== null) return;
    if (call.type === "CALL" && typeof call.to === "string") {
      calls.push({ to: address(call.to, "traced call.to"), input: bytes(call.input, "traced call.input") });
    }
    if (call.calls !== undefined) for (const inner of list(call.calls, "traced call.calls")) visit(inner);
  };
  const root = record(value, "debug_traceTransaction");
  if (typeof root.type !== "string") throw new DecodeError("debug_traceTransaction", "must be a call tree");
  visit(root);
  return calls;
}

/**
 * Finds the call behind any wrapper, from the transaction's trace in either of the two formats of execution clients.
 */
export const traceDecoder: ProposeDecoder = {
  name: "trace",
  async candidates({ hash }, { rollupAddress, generation, debugRpc }) {
    const id = toHex(hash);
    const proposals = (calls: TracedCall[]) =>
      calls
        .filter(({ to, input }) => to === rollupAddress && isProposeCall(input, generation))
        .map(({ input }) => input);
    try {
      const flat = await debugRpc.request({ method: "trace_transaction", params: [id], parse: flatCalls });
      if (flat.length > 0) return proposals(flat);
    } catch (error) {
      if (!(error instanceof L1Error)) throw error;
    }
    const params = [id, { tracer: "callTracer" }];
    return proposals(await debugRpc.request({ method: "debug_traceTransaction", params, parse: treeCalls }));
  },
};
