import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openChainServices } from "../../../src/chain-store/chain-services.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import { ExecutionPool } from "../../../src/execution/execution-pool.ts";
import { DigestPool } from "../../../src/mempool/digest/digest-pool.ts";
import { type SimulatorOptions, TxSimulator } from "../../../src/mempool/tx-simulator.ts";
import { simulatorService } from "../../../src/node/services/mempool-services.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { FunctionSignatures } from "../../../src/rpc/methods/contracts/function-signatures.ts";
import { startPublicRpc } from "../../../src/rpc/public-rpc.ts";
import { txJson } from "../mempool/fresh-txs.ts";
import { LOOPS, RETURNS, txOfOwnClass } from "../mempool/own-class.ts";
import { fakeServices, IDENTITY, recordingLogger } from "../rpc/fakes.ts";

const MAP_SIZE_KB = 1 << 16;
const HONEST = "127.0.0.2";
const HOSTILE = "127.0.0.3";

export interface Times {
  calls: number;
  /** Number of "busy" answers; not counted in `calls`. */
  refused: number;
  medianMs: number;
  p99Ms: number;
  maxMs: number;
}

export interface Attack {
  /** Number of answers to hostile clients, by how the text begins. */
  readonly answers: Record<string, number>;
  /** Peak memory of the process during the attack, in MiB. */
  mebibytes(): number;
  /** Disconnects the clients. */
  stop(): void;
}

/** A public port with RPC threads and simulation threads, over a genesis state. */
export class SimulatingPort {
  readonly #port: number;
  readonly #teardown: (() => unknown)[];
  readonly #core = loadCore();

  static async open(options: Partial<SimulatorOptions> = {}): Promise<SimulatingPort> {
    const folder = mkdtempSync(join(tmpdir(), "svc-simulations-"));
    const core = loadCore();
    const hasher = new CorePool({ size: 1 });
    const setup = { path: folder, mapSizeKb: MAP_SIZE_KB, publicData: [] };
    const { store, chain } = await openChainServices({ ...setup, core, identity: IDENTITY, hasher });
    const reads = { ...setup, commits: store.commits };
    const execution = new ExecutionPool(
      { ...reads, epochDuration: IDENTITY.constants.epochDuration },
      { size: options.parallel ?? 1 },
    );
    const digests = new DigestPool({ generation: V4, threads: 1 });
    const fees = { currentMinFees: async () => ({ feePerDaGas: 0n, feePerL2Gas: 1n }) };
    const simulator = new TxSimulator(
      { chain, identity: IDENTITY, fees, digests, execution, l1Time: () => IDENTITY.constants.l1GenesisTime + 720 },
      { maxGasLimit: 10_000_000_000, maxDebugLogReads: 125_000, parallel: 1, limitMs: 2_000, ...options },
    );
    const signatures = new FunctionSignatures();
    const listener = await startPublicRpc({
      threads: { rpc: 1, longCalls: 1 },
      services: fakeServices({ core, signatures, simulator: simulatorService(simulator, signatures) }),
      store,
      chain,
      reads: { mapSizeKb: MAP_SIZE_KB, publicData: [], identity: IDENTITY },
      cacheBytes: 1 << 20,
      server: { listen: { port: 0 }, serve: { namespaces: ["svc", "node"] } },
      log: recordingLogger(),
    });
    return new SimulatingPort(listener.port, [
      () => listener.close(0),
      () => execution.close(),
      () => digests.close(),
      () => hasher.close(),
      () => store.close(),
      () => rmSync(folder, { recursive: true }),
    ]);
  }

  private constructor(port: number, teardown: (() => unknown)[]) {
    this.#port = port;
    this.#teardown = teardown;
  }

  /**
   * Sends a request over its own connection, which aborting closes. Returns the body, or "" if the connection ended
   * early.
   */
  #post(body: string, from: string, signal?: AbortSignal): Promise<string> {
    return new Promise((resolve) => {
      const socket = net.connect({ port: this.#port, host: "127.0.0.1", localAddress: from });
      let received = "";
      const give = (text: string): void => {
        resolve(text);
        socket.destroy();
      };
      const leave = (): void => give("");
      signal?.addEventListener("abort", leave);
      socket.on("close", () => {
        signal?.removeEventListener("abort", leave);
        resolve("");
      });
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        const end = received.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN);
        if (end >= 0 && received.length >= end + 4 + length) give(received.slice(end + 4));
      });
      const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json";
      socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  #request(program: Uint8Array, seed: number): string {
    const { json } = txJson(this.#core, txOfOwnClass(program, { seed }));
    return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "svc_simulatePublicCalls", params: [json, true] });
  }

  /** Returns the result of a call. Throws the answer if it has none. */
  async call(method: string, params: unknown[]): Promise<unknown> {
    const answer = JSON.parse(await this.#post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), HONEST));
    if (!("result" in answer)) throw new Error(JSON.stringify(answer));
    return answer.result;
  }

  /** Sequential simulations, limited by number or time. Throws for an answer that is neither a result nor a refusal. */
  async honestCalls(count: number, milliseconds = Number.POSITIVE_INFINITY): Promise<Times> {
    const request = this.#request(RETURNS, 1);
    const end = performance.now() + milliseconds;
    const times: number[] = [];
    let refused = 0;
    while (times.length < count && performance.now() < end) {
      const start = performance.now();
      const answer = await this.#post(request, HONEST);
      if (answer.includes("The node is busy")) {
        refused++;
        await sleep(100);
        continue;
      }
      if (!answer.includes('"revertCode":0')) throw new Error(`not a simulation: ${answer.slice(0, 400)}`);
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))]);
    return {
      calls: times.length,
      refused,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      maxMs: Math.round(times[times.length - 1]),
    };
  }

  /** Starts clients that ask for endless simulations. Each waits for its answer, or leaves and returns. */
  async attack({ clients, leaveAfterMs = 0 }: { clients: number; leaveAfterMs?: number }): Promise<Attack> {
    const ended = new AbortController();
    const answers: Record<string, number> = {};
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 50);
    const requests = Array.from({ length: clients }, (_, i) => this.#request(LOOPS, 2 + i));
    const again = async (request: string): Promise<void> => {
      while (!ended.signal.aborted) {
        const signal =
          leaveAfterMs === 0 ? ended.signal : AbortSignal.any([ended.signal, AbortSignal.timeout(leaveAfterMs)]);
        const answer = await this.#post(request, HOSTILE, signal);
        const kind = answer === "" ? "left" : (/"message":"([^"]{0,60})/.exec(answer)?.[1] ?? "a result");
        answers[kind] = (answers[kind] ?? 0) + 1;
        // A refused client waits before it asks again.
        await sleep(100);
      }
    };
    const asked = requests.map(again);
    await sleep(500);
    return {
      answers,
      mebibytes: () => Math.round(most / 2 ** 20),
      stop: () => {
        clearInterval(timer);
        ended.abort();
        void Promise.all(asked);
      },
    };
  }

  async close(): Promise<void> {
    for (const end of this.#teardown) await end();
  }
}
