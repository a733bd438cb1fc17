import { loadCore } from "../../src/core/load-core.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import { type FreshTxPlan, freshTx, txJson } from "../../test/world/mempool/fresh-txs.ts";
import { type RecordedTx, recordedTxs } from "../../test/world/protocol/recorded-txs.ts";
import { answerTo, call, MARK } from "./wrk.ts";

/** Start of the first whole base64 group inside a tx's only nullifier. */
const MARK_AT = Math.ceil((TX_DATA_AT.accumulated + 2_048 + 8) / 3) * 4;

const core = loadCore();

/** The first recorded tx of the given form that logs no class. Throws if there is none. */
export function recordedForm(form: number): RecordedTx {
  const found = recordedTxs().find(({ tx }) => tx.data[0] === form && tx.contractClassLogFields.length === 0);
  if (found === undefined) throw new Error(`no tx of form ${form} was recorded`);
  return found;
}

/** Calls of a method with one tx each; the txs differ in their nullifier. */
export function freshCalls(
  method: string,
  of: RecordedTx,
  name: string,
  count: number,
  plan: Omit<FreshTxPlan, "nullifier"> = {},
): string[] {
  return Array.from({ length: count }, (_, i) =>
    call(method, [txJson(core, freshTx(of, { ...plan, nullifier: `${name} ${i}` })).json]),
  );
}

/** The answer without the parts that depend on the clock. */
export async function timeless(url: string, body: string): Promise<Record<string, unknown>> {
  const { globalVariables: _, ...answer } = (await answerTo(url, body)) as Record<string, unknown>;
  return answer;
}

/** The first recorded tx whose public calls succeed on the latest state too. */
export async function simulable({ url }: { url: string }): Promise<RecordedTx> {
  for (const of of recordedTxs()) {
    if (of.tx.data[0] === 0) continue;
    const [body] = freshCalls("node_simulatePublicCalls", of, "tried", 1);
    const answer = await timeless(url, body).catch(() => undefined);
    if (answer !== undefined && answer.revertReason === undefined) return of;
  }
  throw new Error("every recorded tx reverts");
}

/** A call whose every request has another tx, because the load generator replaces a mark in the nullifier. */
export function unseenCall(method: string, of: RecordedTx): string[] {
  const { json } = txJson(core, freshTx(of, { nullifier: "unseen" }));
  const { data } = json;
  if (typeof data !== "string") throw new TypeError("the data of a tx is no text");
  const marked = data.slice(0, MARK_AT) + MARK + data.slice(MARK_AT + MARK.length);
  return [call(method, [{ ...json, data: marked }])];
}
