import type { ExecutedCall, ExecutedTx } from "../../execution/executed-tx.ts";
import { type FunctionNames, shownStack } from "../../execution/revert-reason.ts";
import type { CallRecord } from "../../execution/vm/call-records.ts";
import { isZero, readBigUint, toHex } from "../../protocol/bytes.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** Lines about one tx, and fields shown of an event. */
const MAX_LINES = 200;
const MAX_FIELDS = 12;
/** Larger fields are shown as shortened hex. */
const MAX_DECIMAL = 1n << 64n;

type Line = readonly [facts: object, message: string];

/**
 * Logs what each tx of a block did: its effects, public calls with the calls in them, events, the messages that
 * contracts logged, and why it reverted. Functions and events have the names that clients registered. Requires that
 * calls were recorded.
 */
export function logTxs(processed: readonly ExecutedTx[], names: FunctionNames, logger: Pick<Logger, "info">): void {
  for (const tx of processed) {
    const lines = [summary(tx), ...callLines(tx.calls, names), ...eventLines(tx, names), ...messageLines(tx)];
    for (const [facts, message] of lines.slice(0, MAX_LINES)) logger.info(facts, message);
    if (lines.length > MAX_LINES) logger.info({ more: lines.length - MAX_LINES }, "  and {more:line} more");
    logRevert(tx, names, logger);
  }
}

function logRevert({ hash, revertReason }: ExecutedTx, names: FunctionNames, logger: Pick<Logger, "info">): void {
  if (revertReason === undefined) return;
  const calls = shownStack(revertReason, names);
  logger.info({ tx: toHex(hash), reason: revertReason.originalMessage, calls }, "a tx of the block reverted");
}

function summary({ hash, effect, calls }: ExecutedTx): Line {
  const counts = {
    calls: calls.length,
    notes: items(effect.noteHashes).length,
    nullifiers: items(effect.nullifiers).length,
    writes: effect.publicDataWrites.length / 64,
    privateLogs: effect.privateLogs.length,
    publicLogs: effect.publicLogs.length,
    messages: items(effect.l2ToL1Msgs).length,
  };
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  const facts = { tx: toHex(hash), fee: readBigUint(effect.transactionFee, 0, 32), ...Object.fromEntries(told) };
  const nouns: Record<string, string> = {
    calls: "public call",
    notes: "note",
    nullifiers: "nullifier",
    writes: "public write",
    privateLogs: "private log",
    publicLogs: "public log",
    messages: "message",
  };
  return [facts, `tx {tx}: ${[...told.map(([name]) => `{${name}:${nouns[name]}}`), "fee {fee}"].join(", ")}`];
}

/** As in log lines: the first and last digits. */
function short(value: Uint8Array): string {
  const hex = toHex(value);
  return `${hex.slice(0, 10)}..${hex.slice(-8)}`;
}

function shownField(field: Uint8Array): string {
  const value = readBigUint(field, 0, 32);
  return value < MAX_DECIMAL ? String(value) : short(field);
}

/** The 4 bytes of a field that is a selector. */
function selectorIn(field: Uint8Array | undefined): Uint8Array | undefined {
  return field?.length === 32 && isZero(field.subarray(0, 28)) && !isZero(field) ? field.subarray(28) : undefined;
}

function nameIn(field: Uint8Array | undefined, names: FunctionNames): string | undefined {
  const selector = selectorIn(field);
  return selector && names.nameOf(selector);
}

function* callLines(calls: readonly ExecutedCall[], names: FunctionNames): Generator<Line> {
  for (const { phase, contractAddress, record, reverted } of calls) {
    if (record === undefined) {
      const facts = { phase, call: short(contractAddress), outcome: reverted ? "reverted" : "ok" };
      yield [facts, "  {phase} call {call}: {outcome}"];
    } else yield* frameLines(record, { phase, depth: 1, names });
  }
}

function* frameLines(
  frame: CallRecord,
  { phase, depth, names }: { phase: string; depth: number; names: FunctionNames },
): Generator<Line> {
  const { contract, calldata, isStatic, reverted, haltMessage, nested } = frame;
  const first = calldata.subarray(0, 32);
  const selector = selectorIn(first);
  const name = nameIn(first, names) ?? (selector === undefined ? "(no selector)" : toHex(selector));
  const args = items(selector === undefined ? calldata : calldata.subarray(32));
  const call = `${short(contract)}.${name}(${shownFields(args)})`;
  const outcome = reverted ? `reverted${haltMessage ? `: ${haltMessage}` : ""}` : "ok";
  const kind = isStatic ? "static call" : "call";
  const said = depth === 1 ? "{phase} call {call}: {outcome}" : "{kind} {call}: {outcome}";
  yield [depth === 1 ? { phase, call, outcome } : { kind, call, outcome }, `${"  ".repeat(depth)}${said}`];
  for (const inner of nested) yield* frameLines(inner, { phase, depth: depth + 1, names });
}

function shownFields(fields: readonly Uint8Array[]): string {
  const shown = fields.slice(0, MAX_FIELDS).map(shownField);
  if (fields.length > MAX_FIELDS) shown.push(`${fields.length - MAX_FIELDS} more`);
  return shown.join(", ");
}

/** An event's selector is its last field; of other public logs, the first may be one. */
function* eventLines({ effect }: ExecutedTx, names: FunctionNames): Generator<Line> {
  for (const { contractAddress, fields } of effect.publicLogs) {
    const all = items(fields);
    const event = nameIn(all.at(-1), names) ?? nameIn(all[0], names) ?? "public log";
    yield [{ event, contract: short(contractAddress), fields: shownFields(all) }, "  {event} of {contract}: {fields}"];
  }
}

function* messageLines({ debugLogs }: ExecutedTx): Generator<Line> {
  for (const { contractAddress, level, message, fields } of debugLogs) {
    const facts = {
      contract: short(contractAddress),
      logLevel: level,
      text: message,
      fields: shownFields(items(fields)),
    };
    yield [facts, "  {contract} logs {logLevel}: {text}"];
  }
}
