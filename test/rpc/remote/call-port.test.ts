import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { L1Error } from "../../../src/l1/errors.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { ExecutionError, RpcError } from "../../../src/rpc/jsonrpc/errors.ts";
import { RemoteCalls, serveCalls } from "../../../src/rpc/remote/call-port.ts";
import { givenTxBuffers } from "../../../src/rpc/remote/given-tx-buffers.ts";
import { UnknownStateError } from "../../../src/world-state/errors.ts";

class NoL1 extends L1Error {
  override readonly name = "NoL1";
  readonly fatal = true;
}

const kept = new Uint8Array(64).fill(7);
const failures: Record<string, unknown> = {
  rpc: new RpcError(-32005, "busy", { data: { why: 1 } }),
  execution: new ExecutionError("refused"),
  l1: new NoL1("does not answer"),
  state: new UnknownStateError(9),
  type: new TypeError("a defect"),
  text: "thrown text",
};
class Service {
  readonly #sum = 40;
  add(more: number) {
    return this.#sum + more;
  }
  async bytes() {
    return kept;
  }
  fresh() {
    return [new Uint8Array(100).fill(1), { body: new Uint8Array(5) }];
  }
  fail(kind: string) {
    throw failures[kind];
  }
  strange() {
    return () => 1;
  }
  hidden() {
    return "no";
  }
  /** Ends when its signal aborts. */
  async wait(label: string, signal: AbortSignal) {
    await new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", resolve);
    });
    ended.push(label);
    return "aborted";
  }
  never() {
    return new Promise(() => undefined);
  }
}

const ended: string[] = [];
let channel: MessageChannel;
let calls: RemoteCalls;
beforeEach(() => {
  channel = new MessageChannel();
  const callable = { given: ["add", "bytes", "fresh", "fail", "strange", "never", "wait"], away: ["fresh"] };
  serveCalls(channel.port1, { given: new Service(), away: new Service() }, callable, ["away"]);
  calls = new RemoteCalls(channel.port2, { max: 3 });
});
afterEach(() => channel.port1.close());

test("a call over a port reaches only the methods listed as callable", async () => {
  expect(await calls.call("given", "add", [2])).toBe(42);
  await expect(calls.call("given", "hidden", [])).rejects.toThrow("no method given.hidden to call");
  await expect(calls.call("constructor", "add", [])).rejects.toThrow("no method constructor.add to call");
  await expect(calls.call("given", "strange", [])).rejects.toThrow(/could not be cloned/);
  const service = calls.service("given", ["add"]);
  expect(await service.add(1)).toBe(41);
});

test("results are copied over the port, unless the service transfers its buffers", async () => {
  for (let times = 0; times < 2; times++) expect(await calls.call("given", "bytes", [])).toEqual(kept);
  expect(kept.length).toBe(64);
  for (const name of ["given", "away"]) {
    expect(await calls.call(name, "fresh", [])).toEqual([new Uint8Array(100).fill(1), { body: new Uint8Array(5) }]);
  }
});

test("a client's tx is handed over with the call, and other arguments are copied", async () => {
  const { port1, port2 } = new MessageChannel();
  const lengths = ({ data, chonkProof, publicFunctionCalldata: [{ hash }] }: Tx) =>
    [data, chonkProof, hash].map(({ length }) => length);
  const callable = { mempool: ["submit", "get"], simulator: ["simulate"] };
  serveCalls(port1, { mempool: { submit: lengths, get: lengths }, simulator: { simulate: lengths } }, callable);
  const remote = new RemoteCalls(port2, { max: 3, handsOver: givenTxBuffers });
  const hash = new Uint8Array(32);
  const tx = (data: Uint8Array): Tx => ({
    data,
    chonkProof: new Uint8Array(200),
    contractClassLogFields: [],
    publicFunctionCalldata: [{ values: new Uint8Array(64), hash }],
  });
  const [own, part] = [tx(new Uint8Array(100)), tx(new Uint8Array(300).subarray(0, 100))];
  expect(await remote.call("mempool", "get", [own])).toEqual([100, 200, 32]);
  expect(lengths(own)).toEqual([100, 200, 32]);
  for (const given of [own, part]) expect(await remote.call("mempool", "submit", [given])).toEqual([100, 200, 32]);
  expect(lengths(own)).toEqual([0, 0, 32]);
  expect(lengths(part)).toEqual([100, 0, 32]);
  const simulated = tx(new Uint8Array(100));
  expect(await remote.call("simulator", "simulate", [simulated, {}])).toEqual([100, 200, 32]);
  expect(lengths(simulated)).toEqual([0, 0, 32]);
  port1.close();
});

test("errors keep their class, code and data over the port", async () => {
  const thrown = (kind: string) => calls.call("given", "fail", [kind]).catch((error: unknown) => error);
  const rpc = await thrown("rpc");
  expect(rpc).toBeInstanceOf(RpcError);
  expect(rpc).toMatchObject({ code: -32005, message: "busy", data: { why: 1 } });
  expect(rpc).not.toBeInstanceOf(ExecutionError);
  expect(await thrown("execution")).toBeInstanceOf(ExecutionError);
  const l1 = await thrown("l1");
  expect(l1).toBeInstanceOf(L1Error);
  expect(l1).toMatchObject({ rule: "does not answer", fatal: true });
  expect(await thrown("state")).toMatchObject({ block: 9 });
  expect(await thrown("state")).toBeInstanceOf(UnknownStateError);
  expect(await thrown("type")).toMatchObject({ name: "TypeError", message: "a defect" });
  expect(await thrown("text")).toMatchObject({ message: "thrown text" });
});

test("a call over a port is refused when too many are waiting", async () => {
  for (let i = 0; i < 3; i++) void calls.call("given", "never", []);
  expect(calls.waiting).toBe(3);
  await expect(calls.call("given", "add", [1])).rejects.toMatchObject({ code: -32005 });
});

test("aborting a signal, or closing the port, aborts the remote call", async () => {
  const gone = new AbortController();
  const left = calls.call("given", "wait", ["left", gone.signal]);
  const before = calls.call("given", "wait", ["before", AbortSignal.abort()]);
  expect(await before).toBe("aborted");
  expect(await calls.call("given", "add", [1])).toBe(41);
  expect(ended).toEqual(["before"]);
  gone.abort();
  expect(await left).toBe("aborted");
  void calls.call("given", "wait", ["closed", new AbortController().signal]);
  await calls.call("given", "add", [1]);
  channel.port2.close();
  await expect.poll(() => ended).toEqual(["before", "left", "closed"]);
});
