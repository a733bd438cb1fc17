import { afterEach, describe, expect, test } from "vitest";
import { EndpointBook } from "../../../src/endpoints/endpoint-book.ts";
import { redactUrl } from "../../../src/http/redact.ts";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import { read } from "../../../src/l1/contracts/contract.ts";
import {
  ContractAnswerError,
  ContractMissingError,
  ContractRevertError,
  HistoricalStateUnavailableError,
  L1ConfigurationError,
  L1EndpointError,
  L1RpcError,
  L1UnavailableError,
  RollupNotFoundError,
  WrongChainError,
} from "../../../src/l1/errors.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { discoverContracts } from "../../../src/l1/rollup/discovery.ts";
import { quantity } from "../../../src/l1/rpc/answers.ts";
import { L1Rpc, type L1RpcOptions } from "../../../src/l1/rpc/l1-rpc.ts";
import { getLogs } from "../../../src/l1/rpc/logs.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import {
  deadUrl,
  drip,
  type FakeAnswer,
  type HttpFake,
  httpFake,
  RpcFailure,
  rpcFake,
} from "../../world/l1/http-fake.ts";

const open: HttpFake[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function fake(made: Promise<HttpFake>): Promise<HttpFake> {
  open.push(await made);
  return made;
}

const rpcOf = (urls: string[], extra: Partial<L1RpcOptions> = {}) =>
  new L1Rpc({ urls, retryDelaysMs: [], timeoutMs: 30_000, logger: silentLogger, ...extra });

const blockNumber = (rpc: L1Rpc) =>
  rpc.request({ method: "eth_blockNumber", params: [], parse: (v) => quantity(v, "block number") });

const failure = <T>(work: Promise<T>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

describe("an L1 endpoint", () => {
  test("the error of an L1 endpoint that is down names method and reason", async () => {
    const url = await deadUrl();
    const error = (await failure(blockNumber(rpcOf([url])))) as L1EndpointError;
    expect(error).toBeInstanceOf(L1EndpointError);
    expect(error).toMatchObject({ kind: "unreachable", url, method: "eth_blockNumber", fatal: false });
    expect(error.rule).toMatch(/ECONNREFUSED/);
  });

  test("a request to a slow L1 endpoint fails after the timeout", async () => {
    const { url } = await fake(httpFake(() => "silence"));
    expect(await failure(blockNumber(rpcOf([url], { timeoutMs: 300 })))).toMatchObject({
      kind: "timeout",
      url,
      rule: expect.stringContaining("300 ms"),
    });
  });

  const nonsense: [string, FakeAnswer, string][] = [
    ["HTML", { raw: "<html>hello</html>" }, "nonsense"],
    ["an empty body", { raw: "" }, "nonsense"],
    ["a JSON text", { json: "0x1" }, "nonsense"],
    ["null", { json: null }, "nonsense"],
    ["an object of something else", { json: { hello: 1 } }, "nonsense"],
    ["another id", { json: { jsonrpc: "2.0", id: 77, result: "0x1" } }, "nonsense"],
    ["a number for a quantity", { json: { jsonrpc: "2.0", id: 0, result: 1 } }, "nonsense"],
    ["other text for a quantity", { json: { jsonrpc: "2.0", id: 0, result: "0xzz" } }, "nonsense"],
    ["a huge quantity", { json: { jsonrpc: "2.0", id: 0, result: "0xffffffffffffffff" } }, "nonsense"],
    ["HTML with status 502", { raw: "<html>bad gateway</html>", status: 502 }, "http-status"],
    ["JSON with status 500", { json: { hello: 1 }, status: 500 }, "http-status"],
  ];
  test.each(nonsense)("an L1 endpoint that answers %s is refused", async (_, answer, kind) => {
    const { url } = await fake(httpFake(() => answer));
    expect(await failure(blockNumber(rpcOf([url])))).toMatchObject({ name: "L1EndpointError", kind, url });
  });

  test("a JSON-RPC error under an HTTP error status is read as the JSON-RPC error", async () => {
    const json = { jsonrpc: "2.0", id: 0, error: { code: -32005, message: "limit exceeded" } };
    const { url } = await fake(httpFake(() => ({ json, status: 429 })));
    const error = (await failure(blockNumber(rpcOf([url])))) as L1RpcError;
    expect(error).toBeInstanceOf(L1RpcError);
    expect(error).toMatchObject({ code: -32005, rpcMessage: "limit exceeded" });
  });

  test("errors of an L1 endpoint never contain its credentials", async () => {
    const url = new URL(await deadUrl());
    url.username = "user";
    url.password = "hunter2";
    url.pathname = "/v3/0123456789abcdef0123456789abcdef";
    url.search = "?key=sesame";
    const error = (await failure(blockNumber(rpcOf([url.href])))) as Error;
    expect(error.message).toContain(`http://${url.host}/[Redacted]`);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hunter2|sesame|0123456789abcdef/);
    expect(redactUrl("no url: secret")).toBe("[Redacted]");
  });

  test("user and password of an L1 URL are sent as basic authorization", async () => {
    const server = await fake(rpcFake(() => "0x5"));
    const url = server.url.replace("http://", "http://user:p%40ss@");
    expect(await blockNumber(rpcOf([url]))).toBe(5);
    expect(server.seen[0].headers.authorization).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
  });

  test("L1 calls of one turn are sent as one batch, whose answers may come in any order", async () => {
    const server = await fake(rpcFake((_, params) => params[0]));
    const rpc = rpcOf([server.url]);
    const values = ["0x1", "0x2", "0x3", "0x4"];
    const call = (v: string) => rpc.request({ method: "echo", params: [v], parse: (x) => quantity(x, "echo") });
    expect(await Promise.all(values.map(call))).toEqual([1, 2, 3, 4]);
    expect(server.seen).toHaveLength(1);
  });

  test("an L1 endpoint that refuses batches is asked call by call", async () => {
    const server = await fake(
      httpFake(({ body }) => {
        const request = JSON.parse(body);
        return Array.isArray(request)
          ? { json: { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } } }
          : { json: { jsonrpc: "2.0", id: request.id, result: request.params[0] } };
      }),
    );
    const rpc = rpcOf([server.url]);
    const call = (v: string) => rpc.request({ method: "echo", params: [v], parse: (x) => quantity(x, "echo") });
    expect(await Promise.all(["0x1", "0x2"].map(call))).toEqual([1, 2]);
  });

  test("an L1 endpoint that omits calls of a batch fails only those", async () => {
    const server = await fake(
      httpFake(({ body }) => {
        const items = [JSON.parse(body)].flat() as { id: number; params: string[] }[];
        const answered = items.filter(({ params }) => params[0] !== "0x2");
        return { json: answered.map(({ id, params }) => ({ jsonrpc: "2.0", id, result: params[0] })) };
      }),
    );
    const rpc = rpcOf([server.url]);
    const call = (v: string) => rpc.request({ method: "echo", params: [v], parse: (x) => quantity(x, "echo") });
    const [one, two] = await Promise.allSettled(["0x1", "0x2"].map(call));
    expect(one).toMatchObject({ status: "fulfilled", value: 1 });
    expect(two).toMatchObject({ status: "rejected", reason: { kind: "nonsense" } });
  });
});

test("stopping ends a call under way and a wait between rounds, and refuses later calls, with the signal's reason", async () => {
  const silent = await fake(httpFake(() => "silence"));
  const busy = await fake(httpFake(() => ({ raw: "busy", status: 503 })));
  for (const { url } of [silent, busy]) {
    const controller = new AbortController();
    const signal = controller.signal;
    const rpc = new L1Rpc({ urls: [url], timeoutMs: 60_000, retryDelaysMs: [60_000], signal, logger: silentLogger });
    const call = failure(blockNumber(rpc));
    const reason = new Error("stopping");
    setTimeout(() => controller.abort(reason), 50);
    expect(await call).toBe(reason);
    expect(await failure(blockNumber(rpc))).toBe(reason);
  }
});

describe("several L1 endpoints", () => {
  test("several L1 endpoints are tried in order", async () => {
    const html = await fake(httpFake(() => ({ raw: "<html>" })));
    const good = await fake(rpcFake(() => "0x9"));
    const unused = await fake(rpcFake(() => "0xa"));
    expect(await blockNumber(rpcOf([await deadUrl(), html.url, good.url, unused.url]))).toBe(9);
    expect(unused.seen).toHaveLength(0);
  });

  test("if all L1 endpoints fail, the error names all of them", async () => {
    const html = await fake(httpFake(() => ({ raw: "<html>" })));
    const dead = await deadUrl();
    const error = (await failure(blockNumber(rpcOf([dead, html.url])))) as L1UnavailableError;
    expect(error).toBeInstanceOf(L1UnavailableError);
    expect(error.failures.map(({ url }) => url)).toEqual([dead, html.url]);
    expect(error.message).toContain(dead);
    expect(error.message).toContain(html.url);
  });

  test("L1 endpoints that may recover are asked again after a wait", async () => {
    let asked = 0;
    const server = await fake(
      httpFake(() => (++asked < 3 ? { raw: "busy", status: 503 } : { json: { id: 0, result: "0x7" } })),
    );
    expect(await blockNumber(rpcOf([server.url], { retryDelaysMs: [1, 1, 1] }))).toBe(7);
    expect(asked).toBe(3);
  });

  test("L1 endpoints are not asked again for a method that they do not have", async () => {
    const server = await fake(
      rpcFake(() => {
        throw new RpcFailure(-32601, "Method not found");
      }),
    );
    expect(await failure(blockNumber(rpcOf([server.url], { retryDelaysMs: [1, 1] })))).toMatchObject({ code: -32601 });
    expect(server.seen).toHaveLength(1);
  });

  test("a slow L1 endpoint causes one warning, however often it is asked again", async () => {
    const warned: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => void warned.push(message) };
    const { url } = await fake(httpFake(() => "silence"));
    const rpc = new L1Rpc({ urls: [url], timeoutMs: 50, retryDelaysMs: [1, 1], logger });
    await failure(Promise.all([blockNumber(rpc), blockNumber(rpc)]));
    expect(warned).toEqual(["the {service} endpoint {endpoint} fails"]);
  });

  const SILENT: [string, FakeAnswer][] = [
    ["never answers", "silence"],
    ["drips its answer", drip(20)],
  ];
  test.each(SILENT)(
    "an L1 endpoint that %s is asked once, and all later calls go to the next one",
    async (_, answer) => {
      const silent = await fake(httpFake(() => answer));
      const good = await fake(rpcFake(() => "0x9"));
      const rpc = rpcOf([silent.url, good.url]);
      expect(await blockNumber(rpc)).toBe(9);
      const before = silent.seen.filter(({ body }) => body.includes('"call"')).length;
      const call = { method: "eth_call", params: ["call"], parse: (v: unknown) => quantity(v, "call") };
      for (let i = 0; i < 5; i++) expect(await rpc.request(call)).toBe(9);
      expect(silent.seen.filter(({ body }) => body.includes('"call"'))).toHaveLength(before);
    },
  );

  test("users that share the health of L1 endpoints ask a failed one last from the start", async () => {
    const endpoints = new EndpointBook();
    const busy = await fake(httpFake(() => ({ raw: "busy", status: 503 })));
    const good = await fake(rpcFake(() => "0x9"));
    const urls = [busy.url, good.url];
    const rpcs = [1, 2].map(() => new L1Rpc({ urls, endpoints, retryDelaysMs: [], logger: silentLogger }));
    expect(await blockNumber(rpcs[0])).toBe(9);
    const call = { method: "eth_call", params: ["other"], parse: (v: unknown) => quantity(v, "call") };
    expect(await rpcs[1].request(call)).toBe(9);
    expect(busy.seen.filter(({ body }) => body.includes("other"))).toHaveLength(0);
    endpoints.close();
  });

  test("what changes a development chain is never sent to two L1 endpoints at once", async () => {
    const mined = Promise.withResolvers<FakeAnswer>();
    const slow = await fake(httpFake(() => mined.promise));
    const other = await fake(rpcFake(() => "0x9"));
    const rpc = rpcOf([slow.url, other.url]);
    const mine = rpc.request({ method: "evm_mine", params: [], parse: (v) => quantity(v, "time") });
    // A read is sent to the other endpoint meanwhile.
    expect(await blockNumber(rpc)).toBe(9);
    mined.resolve({ json: { id: 0, result: "0x1" } });
    expect(await mine).toBe(1);
    expect(other.seen.filter(({ body }) => body.includes("evm_mine"))).toHaveLength(0);
  });

  test("at least one L1 endpoint is needed, and all must be http URLs", () => {
    expect(() => rpcOf([])).toThrow(L1ConfigurationError);
    expect(() => rpcOf(["ws://127.0.0.1:8545"])).toThrow(/http/);
    expect(() => rpcOf(["127.0.0.1:8545"])).toThrow(L1ConfigurationError);
  });
});

describe("the chain of the endpoints", () => {
  test.each([
    ["first", 0],
    ["last", 1],
  ])("an L1 endpoint on another chain, given %s, is an error in the log and is not asked", async (_, at) => {
    const errors: object[] = [];
    const logger = { ...silentLogger, error: (facts: object) => void errors.push(facts) };
    const good = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x7a69" : "0x9")));
    const wrong = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x1" : "0x99")));
    const urls = [good.url].toSpliced(1 - at, 0, wrong.url);
    const rpc = new L1Rpc({ urls, retryDelaysMs: [], logger });
    await rpc.checkChain(31337);
    await good.close();
    open.splice(open.indexOf(good), 1);
    const error = (await failure(blockNumber(rpc))) as L1UnavailableError;
    expect(error).toMatchObject({ name: "L1UnavailableError", fatal: false });
    expect(error.message).toContain("the endpoint serves chain 1, but chain 31337 is configured");
    expect(errors).toEqual([{ endpoint: wrong.url, served: 1, configured: 31337 }]);
  });

  test("L1 endpoints that are all on another chain are a fatal error, also while one is down", async () => {
    const wrong = [await fake(rpcFake(() => "0x1")), await fake(rpcFake(() => "0x2"))].map(({ url }) => url);
    for (const urls of [[wrong[0]], wrong, [await deadUrl(), ...wrong]]) {
      const error = (await failure(rpcOf(urls).checkChain(31337))) as WrongChainError;
      expect(error).toBeInstanceOf(WrongChainError);
      expect(error).toMatchObject({ expected: 31337, actual: 1, url: wrong[0], fatal: true });
    }
  });

  test("an L1 endpoint that is moved to the configured chain is asked again, and no more once it leaves it", async () => {
    let served = "0x1";
    const moved = await fake(rpcFake((method) => (method === "eth_chainId" ? served : "0x8")));
    const good = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x7a69" : "0x9")));
    const endpoints = new EndpointBook({ restMs: 1 });
    const rpc = rpcOf([moved.url, good.url], { endpoints });
    await rpc.checkChain(31337);
    // The health of endpoints, and its probe, is that of all users of the book.
    const other = rpcOf([good.url, moved.url], { endpoints });
    await other.checkChain(31337);
    expect([await blockNumber(rpc), await blockNumber(other)]).toEqual([9, 9]);
    served = "0x7a69";
    await expect.poll(() => blockNumber(rpc)).toBe(8);
    endpoints.read()[1].health.failed("it is restarted");
    await expect.poll(() => blockNumber(other)).toBe(8);
    await expect.poll(() => endpoints.read()[1].health.check()).toBe(true);
    served = "0x1";
    const [{ health }] = endpoints.read();
    health.failed("it is restarted");
    expect(await health.check()).toBe(false);
    expect(await blockNumber(rpc)).toBe(9);
    endpoints.close();
  });

  test("users of L1 that are told the chain ask no endpoint on another one", async () => {
    const wrong = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x1" : "0x8")));
    const good = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x7a69" : "0x9")));
    expect(await blockNumber(rpcOf([wrong.url, good.url], { chainId: 31337 }))).toBe(9);
  });

  test("an L1 endpoint that never answers does not hold up the chain check, and is not asked unchecked", async () => {
    const gate = Promise.withResolvers<FakeAnswer>();
    const good = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x7a69" : "0x9")));
    const wrong = await fake(
      httpFake(({ body }) =>
        body.includes("eth_chainId") ? gate.promise : { json: { jsonrpc: "2.0", id: 0, result: "0x1" } },
      ),
    );
    const rpc = rpcOf([wrong.url, good.url]);
    await rpc.checkChain(31337);
    expect(await blockNumber(rpc)).toBe(9);
    gate.resolve({ json: { jsonrpc: "2.0", id: 0, result: "0x1" } });
    await good.close();
    open.splice(open.indexOf(good), 1);
    const error = (await failure(blockNumber(rpc))) as L1UnavailableError;
    expect(error.failures.some((one) => one instanceof WrongChainError)).toBe(true);
  });

  test("an L1 endpoint that is down during the chain check only causes a warning", async () => {
    const warned: object[] = [];
    const good = await fake(rpcFake(() => "0x7a69"));
    const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
    await new L1Rpc({ urls: [await deadUrl(), good.url], retryDelaysMs: [], logger }).checkChain(31337);
    expect(warned).toHaveLength(1);
    expect(await failure(rpcOf([await deadUrl()]).checkChain(31337))).toBeInstanceOf(L1EndpointError);
  });
});

describe("a contract", () => {
  const address = `0x${"ab".repeat(20)}`;
  const rollup = { name: "Rollup", address, abi: rollupAbi };
  const serve = async (handler: (method: string, params: unknown[]) => unknown) =>
    rpcOf([(await fake(rpcFake(handler))).url]);

  test("a contract without code at its address is missing", async () => {
    const rpc = await serve(() => "0x");
    const error = await failure(read(rpc, rollup, "getVersion", []));
    expect(error).toBeInstanceOf(ContractMissingError);
    expect(error).toMatchObject({ address, fatal: true, method: "eth_call Rollup.getVersion" });
  });

  test("a contract whose answers do not match its ABI is refused as another contract", async () => {
    const rpc = await serve((method) => (method === "eth_call" ? "0x1234" : "0x6000"));
    expect(await failure(read(rpc, rollup, "getVersion", []))).toBeInstanceOf(ContractAnswerError);
  });

  test("the error of a reverted contract call names the contract's error", async () => {
    const data = `0xf4f28e99${"00".repeat(31)}02${"00".repeat(31)}30`;
    const rpc = await serve(() => {
      throw new RpcFailure(3, "execution reverted", data);
    });
    const error = await failure(read(rpc, rollup, "getCommitteeAt", [1n]));
    expect(error).toBeInstanceOf(ContractRevertError);
    expect(error).toMatchObject({
      errorName: "ValidatorSelection__InsufficientValidatorSetSize",
      args: [2n, 48n],
      data,
    });
  });

  test.each([
    "missing trie node 1234 (path ) state 0x12 is not available",
    "BlockOutOfRangeError: block height is 202 but requested was 100",
    "historical state abc is not available",
    "state at block #100 is pruned",
  ])("a contract cannot be read at a block whose state is gone: %s", async (message) => {
    const rpc = await serve(() => {
      throw new RpcFailure(-32000, message);
    });
    const error = await failure(read(rpc, rollup, "getProvenCheckpointNumber", [], 100));
    expect(error).toBeInstanceOf(HistoricalStateUnavailableError);
    expect(error).toMatchObject({ blockNumber: 100, fatal: false });
  });

  test("a contract call at a future block may be retried", async () => {
    const rpc = await serve(() => {
      throw new RpcFailure(-32602, "BlockOutOfRangeError: block height is 202 but requested was 300");
    });
    expect(await failure(read(rpc, rollup, "getVersion", [], 300))).toBeInstanceOf(L1RpcError);
  });
});

describe("connecting", () => {
  const options = {
    l1ChainId: 31337,
    registryAddress: `0x${"cd".repeat(20)}`,
    ethereumSlotDuration: 12,
    retryDelaysMs: [],
  };

  test("connecting to an address without a registry fails with an error that says so", async () => {
    const { url } = await fake(rpcFake((method) => (method === "eth_chainId" ? "0x7a69" : "0x")));
    const error = await failure(connectRollup({ ...options, l1RpcUrls: [url] }));
    expect(error).toBeInstanceOf(ContractMissingError);
    expect((error as Error).message).toMatch(/Registry/);
  });

  test("connecting to a version that the registry does not have fails with an error that says so", async () => {
    const { url } = await fake(
      rpcFake((method, params) => {
        if (method === "eth_chainId") return "0x7a69";
        const { data } = params[0] as { data: string };
        if (data.startsWith("0x289b3c0d")) return `0x${"00".repeat(32)}`;
        throw new RpcFailure(3, "execution reverted", "0x");
      }),
    );
    const error = await failure(connectRollup({ ...options, rollupVersion: 9, l1RpcUrls: [url] }));
    expect(error).toBeInstanceOf(RollupNotFoundError);
    expect(error).toMatchObject({ version: 9, fatal: true });
  });

  test("a contract of another kind at the registry's address is a certain mistake", async () => {
    const { url } = await fake(
      rpcFake((_, params) => {
        const { to } = params[0] as { to: string };
        if (to === options.registryAddress) throw new RpcFailure(3, "execution reverted", "0x");
        return `0x${"00".repeat(31)}01`;
      }),
    );
    const addresses = { ...options, rollupAddress: `0x${"12".repeat(20)}` };
    const error = await failure(discoverContracts(rpcOf([url]), addresses));
    expect(error).toMatchObject({ name: "WrongContractError", fatal: true, method: "eth_call Registry.getGovernance" });
  });

  test.each<[string, FakeAnswer, boolean]>([
    ["a page", { raw: "<html>hello</html>" }, true],
    ["no such path", { raw: "Not Found", status: 404 }, true],
    ["a gateway whose server is down", { raw: "<html>bad gateway</html>", status: 502 }, false],
    ["a refused key", { raw: "forbidden", status: 403 }, false],
  ])("an L1 URL with %s behind it: a certain mistake or not", async (_, answer, fatal) => {
    const one = await fake(httpFake(() => answer));
    const error = await failure(connectRollup({ ...options, l1RpcUrls: [one.url] }));
    expect(error).toMatchObject({ fatal });
    const other = await deadUrl();
    expect(await failure(connectRollup({ ...options, l1RpcUrls: [one.url, other] }))).toMatchObject({ fatal: false });
  });

  test("connecting needs endpoints that trace only if tracing is required", async () => {
    const l1 = (traces: boolean) =>
      fake(
        rpcFake((method) => {
          if (method === "eth_chainId") return "0x7a69";
          if (!method.includes("race")) return "0x";
          if (traces && method === "debug_traceTransaction") throw new RpcFailure(-32000, "transaction not found");
          throw new RpcFailure(-32601, "the method does not exist/is not available");
        }),
      );
    const [with_, without] = [await l1(true), await l1(false)];
    const connect = (debugUrl: string, requireTraces: boolean) =>
      failure(connectRollup({ ...options, l1RpcUrls: [without.url], debugRpcUrls: [debugUrl], requireTraces }));
    expect(await connect(without.url, true)).toMatchObject({ name: "L1ConfigurationError", fatal: true });
    // Reaching the registry, which these servers do not have, is enough.
    for (const [url, required] of [
      [with_.url, true],
      [without.url, false],
      [await deadUrl(), false],
    ] as const) {
      expect(await connect(url, required)).toBeInstanceOf(ContractMissingError);
    }
    const wrong = await fake(rpcFake(() => "0x1"));
    expect(await connect(wrong.url, false)).toBeInstanceOf(WrongChainError);
  });

  test("connecting needs a registry address", async () => {
    const connect = (registryAddress: string) =>
      connectRollup({ ...options, registryAddress, l1RpcUrls: ["http://x"] });
    expect(await failure(connect("0x12"))).toBeInstanceOf(L1ConfigurationError);
    expect(await failure(connect(`0x${"00".repeat(20)}`))).toBeInstanceOf(L1ConfigurationError);
  });
});

describe("logs", () => {
  test("logs are not read from an L1 endpoint that does not have the last block of the range yet", async () => {
    const behind = await fake(rpcFake((method) => (method === "eth_blockNumber" ? "0x4" : [])));
    const ahead = await fake(rpcFake((method) => (method === "eth_blockNumber" ? "0x9" : [logAt(9)])));
    const rpc = rpcOf([behind.url, ahead.url]);
    const filter = { address, topics: [topic], fromBlock: 0, toBlock: 9 };
    expect(await getLogs(rpc, filter, (log) => log)).toHaveLength(1);
    expect(behind.seen.filter(({ body }) => body.includes("eth_getLogs"))).toHaveLength(0);
  });

  const address = `0x${"ab".repeat(20)}`;
  const topic = `0x${"01".repeat(32)}`;
  const logAt = (number: number, fields: object = {}) => ({
    address,
    topics: [topic],
    data: "0x",
    blockNumber: `0x${number.toString(16)}`,
    blockHash: `0x${"02".repeat(32)}`,
    transactionHash: `0x${"03".repeat(32)}`,
    logIndex: "0x0",
    ...fields,
  });

  test("logs are read in halves if an endpoint refuses a range as too large", async () => {
    const server = await fake(
      rpcFake((_, params) => {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        if (Number(toBlock) - Number(fromBlock) > 10)
          throw new RpcFailure(-32005, "query returned more than 10000 results");
        return [logAt(Number(fromBlock))];
      }),
    );
    const found = await getLogs(
      rpcOf([server.url]),
      { address, topics: [topic], fromBlock: 0, toBlock: 40 },
      (log) => log,
    );
    expect(found.map((l) => l.blockNumber)).toEqual([0, 11, 21, 31]);
  });

  test("logs that were not asked for are dropped, and malformed ones refused", async () => {
    const others = [
      logAt(3),
      logAt(99),
      logAt(4, { address: `0x${"ee".repeat(20)}` }),
      logAt(5, { topics: [] }),
      logAt(2),
    ];
    const server = await fake(
      rpcFake((_, [filter]) => ((filter as { toBlock: string }).toBlock === "0x9" ? others : [logAt(1, { data: 5 })])),
    );
    const rpc = rpcOf([server.url]);
    const found = await getLogs(rpc, { address, topics: [topic], fromBlock: 0, toBlock: 9 }, (log) => log);
    expect(found.map((l) => l.blockNumber)).toEqual([2, 3]);
    const error = await failure(getLogs(rpc, { address, topics: [topic], fromBlock: 0, toBlock: 8 }, (log) => log));
    expect(error).toMatchObject({ kind: "nonsense", rule: expect.stringContaining("log.data") });
  });
});
