import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { L1Error } from "../../src/l1/errors.ts";
import { ExecutionError, RpcError } from "../../src/rpc/jsonrpc/errors.ts";
import { RemoteCalls, serveCalls } from "../../src/rpc/remote/call-port.ts";
import { UnknownStateError } from "../../src/world-state/errors.ts";

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
  calls = new RemoteCalls(channel.port2, { most: 3 });
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
