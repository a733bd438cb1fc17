import { type Svc, spawnSvc } from "../cli/run-svc.ts";

/** A process of `svc start` that is started again and again with the same arguments, usually on one data directory. */
export class SvcProcess {
  readonly #args: string[];
  readonly #environment: Record<string, string>;
  readonly #program: readonly string[] | undefined;
  #svc: Svc | undefined;

  /** `program`: see spawnSvc. */
  constructor(args: string[], environment: Record<string, string> = {}, program?: readonly string[]) {
    this.#args = args;
    this.#environment = environment;
    this.#program = program;
  }

  start(): Svc {
    const listen = ["--rpc-host", "127.0.0.1", "--rpc-threads", "1"];
    this.#svc = spawnSvc(["start", ...this.#args, ...listen], this.#environment, this.#program);
    return this.#svc;
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#svc?.child.kill(signal);
    await this.#svc?.ended;
  }

  async url(): Promise<string> {
    const [, port] = await this.#svc!.shows(/answering JSON-RPC on \S+:(\d+)/);
    return `http://127.0.0.1:${port}`;
  }

  async ask(method: string, params: unknown[] = []): Promise<{ status: number; text: string }> {
    const response = await fetch(await this.url(), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Number of the latest block. */
  async height(): Promise<number> {
    return JSON.parse((await this.ask("svc_getBlockNumber")).text).result;
  }
}
