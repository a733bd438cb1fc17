import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";

const CONFIGURATION = join(import.meta.dirname, "../../deploy/haproxy.cfg");
export const SERVERS = ["full", "follower-1", "follower-2"] as const;
export type ServerName = (typeof SERVERS)[number];

/** What stands for a server in the configuration; subscriptions end with the node and resume elsewhere. */
function entriesOf(server: ServerName): string[] {
  return [`nodes/${server}`, `nodes/${server}-live`, `sockets/${server}`];
}

/** Debian's HAProxy with the configuration of `deploy/`, in front of three nodes. */
export class HaProxy {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #socket: string;
  #log = "";

  /** `nodes` in the order of SERVERS, as host:port. Resolves once it answers. */
  static async start(nodes: readonly [string, string, string], folder: string): Promise<HaProxy> {
    const address = `127.0.0.1:${await freePort()}`;
    const socket = join(folder, "haproxy.sock");
    const [full, first, second] = nodes;
    const child = spawn("haproxy", ["-db", "-f", CONFIGURATION], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        SVC_BIND: address,
        SVC_HAPROXY_SOCKET: socket,
        SVC_FULL: full,
        SVC_FOLLOWER_1: first,
        SVC_FOLLOWER_2: second,
      },
    });
    const haproxy = new HaProxy(child, `http://${address}`, socket);
    while (child.exitCode === null) {
      if (await haproxy.states().catch(() => undefined)) return haproxy;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`HAProxy ended with ${child.exitCode}: ${haproxy.#log}`);
  }

  private constructor(child: ChildProcess, url: string, socket: string) {
    this.#process = child;
    this.url = url;
    this.#socket = socket;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (part: Buffer) => {
        this.#log = (this.#log + part.toString("utf8")).slice(-20_000);
      });
    }
  }

  /** Sends a command to the runtime socket; resolves with the answer. */
  command(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect(this.#socket, () => socket.write(`${text}\n`));
      socket.on("data", (part) => {
        answer += part;
      });
      socket.on("end", () => resolve(answer));
      socket.on("error", reject);
    });
  }

  /** Of each server: its state ("UP", "DOWN", "DRAIN", ..), sessions now, and retries and redispatches so far. */
  async states(): Promise<Map<ServerName, { status: string; sessions: number; retries: number }>> {
    const [head, ...lines] = (await this.command("show stat")).trim().split("\n");
    const names = head.replace(/^# /, "").split(",");
    const rows = lines.map((line) => new Map(line.split(",").map((value, i) => [names[i], value])));
    return new Map(
      SERVERS.map((server) => {
        const row = rows.find((one) => one.get("pxname") === "nodes" && one.get("svname") === server);
        const number = (name: string) => Number(row?.get(name) ?? 0);
        const retries = number("wretr") + number("wredis");
        return [server, { status: row?.get("status") ?? "", sessions: number("scur"), retries }];
      }),
    );
  }

  async isUp(...servers: readonly ServerName[]): Promise<boolean> {
    const states = await this.states();
    return servers.every((server) => states.get(server)?.status.startsWith("UP"));
  }

  /** Takes a node out of use and waits until it has answered what it was asked. */
  async drain(server: ServerName): Promise<void> {
    for (const entry of entriesOf(server)) await this.command(`set server ${entry} state drain`);
    while (((await this.states()).get(server)?.sessions ?? 0) > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async undrain(server: ServerName): Promise<void> {
    for (const entry of entriesOf(server)) await this.command(`set server ${entry} state ready`);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
  }
}
