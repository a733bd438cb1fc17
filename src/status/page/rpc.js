import { useEffect, useState } from "preact/hooks";

/** What the node says about this port, see PageSettings. */
const { rpc, admin, local, key, batch } = document.body.dataset;
export const HAS_ADMIN = admin === "true";
export const IS_LOCAL = local === "true";
export const NEEDS_KEY = key === "true";
const MAX_CALLS = Number(batch);

const TICK_MS = 2_000;
const MAX_PAUSE_MS = 16_000;
const TIMEOUT_MS = 15_000;
/** The key of the admin port; kept for this tab only and sent to nothing but this port. */
const KEY_ITEM = "svc-admin-api-key";

/**
 * The connection to the node. `state`: "connecting" before the first answer, "open", "key" when a key is needed,
 * "refused" when the node does not serve this page's calls, "down" when it does not answer.
 */
const link = { state: "connecting", message: "", answeredAt: 0, wrongKey: false };

const linkListeners = new Set();
function setLink(changes) {
  Object.assign(link, changes);
  for (const listener of linkListeners) listener({});
}

export function useLink() {
  const [, changed] = useState({});
  useEffect(() => {
    linkListeners.add(changed);
    return () => linkListeners.delete(changed);
  }, []);
  return link;
}

export const hasKey = () => sessionStorage.getItem(KEY_ITEM) !== null;

export function giveKey(text) {
  sessionStorage.setItem(KEY_ITEM, text.trim());
  setLink({ state: "connecting", wrongKey: false });
  tickSoon();
}

export function forgetKey() {
  sessionStorage.removeItem(KEY_ITEM);
  setLink({ state: "key", wrongKey: false });
}

/** The error of one call; `code` is that of JSON-RPC. */
class CallError extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/** Posts one batch. Rejects when there is no answer; an item is `{ value }` or `{ error }`. */
async function post(calls) {
  const headers = { "content-type": "application/json" };
  const apiKey = sessionStorage.getItem(KEY_ITEM);
  if (NEEDS_KEY && apiKey !== null) headers["x-api-key"] = apiKey;
  const response = await fetch(String(rpc), {
    method: "POST",
    headers,
    credentials: "omit",
    redirect: "error",
    cache: "no-store",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    body: JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))),
  });
  if (response.status === 401) {
    setLink({ state: "key", wrongKey: apiKey !== null });
    throw new CallError({ code: 401, message: "the node asks for its admin API key" });
  }
  if (response.status === 403) {
    const { error } = await response.json();
    setLink({ state: "refused", message: error?.message ?? "" });
    throw new CallError({ code: 403, message: "the node refuses this page's calls" });
  }
  const answers = await response.json();
  if (!Array.isArray(answers)) throw new CallError(answers.error ?? { code: 0, message: `HTTP ${response.status}` });
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  setLink({ state: "open", message: "", answeredAt: Date.now() });
  return calls.map((_, id) => {
    const answer = byId.get(id);
    if (answer === undefined) return { error: new CallError({ code: 0, message: "no answer to this call" }) };
    return answer.error ? { error: new CallError(answer.error) } : { value: answer.result ?? null };
  });
}

async function postAll(calls) {
  const answers = [];
  for (let i = 0; i < calls.length; i += MAX_CALLS) answers.push(...(await post(calls.slice(i, i + MAX_CALLS))));
  return answers;
}

/** Calls now, several in one batch. Rejects when the node does not answer; an item is `{ value }` or `{ error }`. */
export async function call(...calls) {
  return await postAll(calls.map(([method, ...params]) => ({ method, params })));
}

/** Queries of mounted views by their text: all that are due go out in one batch per tick. */
const queries = new Map();
let timer;
let pause = TICK_MS;
let running = false;

function tickSoon() {
  clearTimeout(timer);
  timer = setTimeout(tick, 0);
}

function canAsk() {
  return !document.hidden && link.state !== "key" && link.state !== "refused";
}

async function tick() {
  if (running) return;
  clearTimeout(timer);
  if (!canAsk()) return;
  running = true;
  const now = Date.now();
  const due = [...queries.values()].filter(({ next }) => next <= now);
  if (due.length > 0) {
    try {
      const answers = await postAll(due);
      pause = TICK_MS;
      due.forEach((query, i) => {
        query.next = Date.now() + query.every - TICK_MS / 4;
        // A failed call shows its error beside the last value.
        query.result = { value: query.result.value, error: undefined, ...answers[i] };
        for (const listener of query.listeners) listener({});
      });
    } catch (error) {
      if (link.state === "open" || link.state === "connecting" || link.state === "down") {
        pause = Math.min(MAX_PAUSE_MS, pause * 2);
        setLink({ state: "down", message: error instanceof CallError ? error.message : "" });
      }
    }
  }
  running = false;
  // A view that came meanwhile need not wait.
  const isFresh = [...queries.values()].some(({ next }) => next === 0);
  clearTimeout(timer);
  timer = setTimeout(tick, isFresh && link.state === "open" ? 0 : pause);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) tickSoon();
});

function queryOf(name) {
  const [method, params, every] = JSON.parse(name);
  return { method, params, every: every ?? Number.POSITIVE_INFINITY, next: 0, result: {}, listeners: new Set() };
}

const NOTHING = {};

/**
 * The results of calls, asked again while the component is mounted, in their order: `value` is undefined before the
 * first answer. With `every` other than the tick, in milliseconds; `Infinity` asks once.
 */
export function useCalls(calls, every = TICK_MS) {
  const [, changed] = useState({});
  const names = calls.map(([method, ...params]) => JSON.stringify([method, params, every]));
  useEffect(() => {
    for (const name of names) {
      if (!queries.has(name)) {
        queries.set(name, queryOf(name));
        tickSoon();
      }
      queries.get(name).listeners.add(changed);
    }
    changed({});
    return () => {
      for (const name of names) {
        const { listeners } = queries.get(name);
        listeners.delete(changed);
        if (listeners.size === 0) queries.delete(name);
      }
    };
  }, [names.join()]);
  return names.map((name) => queries.get(name)?.result ?? NOTHING);
}

/** The result of one call, as useCalls gives it. No call without a method. */
export function useCall(method, params = [], every = TICK_MS) {
  const [result = NOTHING] = useCalls(method === undefined ? [] : [[method, ...params]], every);
  return result;
}

if (NEEDS_KEY && !hasKey()) link.state = "key";
