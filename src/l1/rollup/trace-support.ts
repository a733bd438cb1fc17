import { L1RpcError, L1UnavailableError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** Hash of no transaction. An endpoint that has the method answers null or an error other than "method not found". */
const NO_TRANSACTION = `0x${"00".repeat(32)}`;

const METHOD_MISSING = /method.*(not found|not available|not supported|does not exist|unsupported|disabled)/i;

const saysMethodMissing = ({ code, rpcMessage }: L1RpcError) => code === -32601 || METHOD_MISSING.test(rpcMessage);

/** Why the endpoints cannot trace; undefined if they support one of the two methods of the trace decoder. */
export async function missingTraces(rpc: L1Rpc): Promise<string | undefined> {
  const reasons: string[] = [];
  const probes: [string, unknown[]][] = [
    ["trace_transaction", [NO_TRANSACTION]],
    ["debug_traceTransaction", [NO_TRANSACTION, { tracer: "callTracer" }]],
  ];
  for (const [method, params] of probes) {
    try {
      await rpc.request({ method, params, parse: () => undefined });
      return undefined;
    } catch (error) {
      const answers = (error instanceof L1UnavailableError ? error.failures : [error]).filter(
        (e) => e instanceof L1RpcError,
      );
      if (answers.length === 0) throw error;
      if (!answers.every(saysMethodMissing)) return undefined;
      reasons.push(`${method}: ${answers[0].rpcMessage}`);
    }
  }
  return reasons.join("; ");
}
