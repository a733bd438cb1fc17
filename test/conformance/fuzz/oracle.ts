import type { WireAnswer } from "./wire.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_BATCH = 100;
/** Deepest nesting that is accepted (docs/deviations.md). */
const DEEPEST = 64;
const CODES = [-32600, -32601, -32700, -32701, -32702];

/** Thrown for an answer that breaks the rules for its request. */
export class WrongAnswerError extends Error {
  constructor(rule: string, answer: WireAnswer | undefined) {
    const { status, body } = answer ?? { status: 0, body: Buffer.alloc(0) };
    super(`${rule}; got ${status} ${body.toString("utf8", 0, 600)}`);
    this.name = "WrongAnswerError";
  }
}

/** Counts of results and errors, for the report. */
export interface AnswerCounts {
  results: number;
  errors: Map<number, number>;
}

/** The refusal of a body as a whole, or the request that it holds. */
function read(asked: Uint8Array): { status: number; code: number } | { request: unknown } {
  if (asked.length > MAX_BODY_BYTES) return { status: 413, code: -32600 };
  if (asked.length === 0) return { status: 400, code: -32600 };
  const text = Buffer.from(asked)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  if (!/^[ \t\n\r]*[[{]/.test(text) || depthOf(text) > DEEPEST) return { status: 400, code: -32700 };
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return { status: 400, code: -32700 };
  }
  const refused = Array.isArray(request) && (request.length === 0 || request.length > MAX_BATCH);
  return refused ? { status: 400, code: -32600 } : { request };
}

/** Nesting depth of arrays and objects, ignoring brackets in strings. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Checks an answer against the decompressed request body. Throws a WrongAnswerError. */
export function judgeRpc(asked: Uint8Array, answer: WireAnswer, counts: AnswerCounts): void {
  if (answer.headers.get("content-type") !== "application/json; charset=utf-8") {
    throw new WrongAnswerError("content type", answer);
  }
  const wanted = read(asked);
  const answered = parsed(answer);
  if ("code" in wanted) {
    if (answer.status !== wanted.status) throw new WrongAnswerError(`status ${wanted.status} expected`, answer);
    judgeSlot(undefined, answered, answer, counts, wanted.code);
    return;
  }
  const { request } = wanted;
  if (!Array.isArray(request)) {
    const failed = judgeSlot(request, answered, answer, counts);
    if (answer.status !== (failed ? 400 : 200)) throw new WrongAnswerError("status of a single call", answer);
    return;
  }
  if (answer.status !== 200 || !Array.isArray(answered) || answered.length !== request.length) {
    throw new WrongAnswerError(`a batch of ${request.length} has 200 and as many slots`, answer);
  }
  for (const [i, slot] of answered.entries()) judgeSlot(request[i], slot, answer, counts);
}

function parsed(answer: WireAnswer): unknown {
  try {
    return JSON.parse(answer.body.toString("utf8"));
  } catch {
    throw new WrongAnswerError("no JSON", answer);
  }
}

/** Returns whether the slot is an error. `request` is undefined if the body could not be read as a request. */
function judgeSlot(
  request: unknown,
  slot: unknown,
  answer: WireAnswer,
  counts: AnswerCounts,
  wantedCode?: number,
): boolean {
  const wrong = (rule: string) =>
    new WrongAnswerError(`${rule} in ${shown(slot)} for ${shown(request)}`, { ...answer, body: Buffer.alloc(0) });
  if (typeof slot !== "object" || slot === null || Array.isArray(slot)) throw wrong("no object");
  const members = slot as Record<string, unknown>;
  const strangers = Object.keys(members).filter((key) => !["jsonrpc", "id", "result", "error"].includes(key));
  if (strangers.length > 0) throw wrong(`member ${strangers.join()}`);
  if (!("jsonrpc" in members)) throw wrong("no jsonrpc");
  if (!("error" in members)) {
    if (wantedCode !== undefined) throw wrong(`code ${wantedCode} expected`);
    judgeId(request, members, wrong);
    counts.results++;
    return false;
  }
  if ("result" in members) throw wrong("result and error");
  const { code, message, ...more } = members.error as { code: unknown; message: unknown };
  if (typeof code !== "number" || !CODES.includes(code)) throw wrong(`code ${code}`);
  if (wantedCode !== undefined && code !== wantedCode) throw wrong(`code ${wantedCode} expected`);
  if (typeof message !== "string") throw wrong("no message");
  if (Object.keys(more).some((key) => key !== "data")) throw wrong("members of the error");
  if (wantedCode === undefined) judgeId(request, members, wrong);
  counts.errors.set(code, (counts.errors.get(code) ?? 0) + 1);
  return true;
}

function judgeId(request: unknown, slot: Record<string, unknown>, wrong: (rule: string) => Error): void {
  if (typeof request !== "object" || request === null) {
    if (slot.id !== null) throw wrong("id null expected");
    return;
  }
  const { id } = request as { id?: unknown };
  if (typeof id === "object" && id !== null) {
    const { code } = (slot.error ?? {}) as { code?: unknown };
    if (slot.id !== null || code !== -32600) throw wrong("a refused id expected");
    return;
  }
  if ("id" in slot !== (id !== undefined) || !sameJson(slot.id, id)) throw wrong("another id");
}

/** Equality of JSON values; Infinity, which `1e999` parses to, is written as null. */
function sameJson(a: unknown, b: unknown): boolean {
  const pairs: [unknown, unknown][] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair.map((value) => (Number.isFinite(value) || typeof value !== "number" ? value : null));
    if (left === right) continue;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    const names = Object.keys(left);
    if (Array.isArray(left) !== Array.isArray(right) || names.length !== Object.keys(right).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(right, name)) return false;
      pairs.push([(left as Record<string, unknown>)[name], (right as Record<string, unknown>)[name]]);
    }
  }
  return true;
}

function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? "nothing").slice(0, 500);
  } catch {
    return "something deep";
  }
}
