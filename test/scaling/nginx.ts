import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";

const GUIDE = join(import.meta.dirname, "../../docs/scaling.md");
/** The node's port in the documented settings. */
const DOCUMENTED_NODE = "127.0.0.1:8080";

/** The settings for nginx in docs/scaling.md. */
export function documentedSettings(): string {
  const settings = /```\n(upstream svc \{.*?)```/s.exec(readFileSync(GUIDE, "utf8"))?.[1];
  if (settings === undefined) throw new Error(`${GUIDE} has no settings for nginx`);
  return settings;
}

/** Debian's nginx in front of one node. */
export class Nginx {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  /** `settings` have the node at DOCUMENTED_NODE. Resolves once it listens. */
  static async start(settings: string, node: string, folder: string): Promise<Nginx> {
    const port = await freePort();
    const server = settings.replaceAll(DOCUMENTED_NODE, node).replaceAll(/listen 80;/g, `listen 127.0.0.1:${port};`);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      [
        ...["daemon off;", "worker_processes 1;", `pid ${join(folder, "nginx.pid")};`, "error_log stderr;"],
        ...["events { worker_connections 256; }", "http {", "access_log off;", ...temporary, server, "}"],
      ].join("\n"),
    );
    const child = spawn("nginx", ["-c", file, "-p", folder, "-e", "stderr"], { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    child.stderr.on("data", (part: Buffer) => {
      log = (log + part.toString("utf8")).slice(-20_000);
    });
    const nginx = new Nginx(child, port);
    while (child.exitCode === null) {
      if (await accepts(port)) return nginx;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`nginx ended with ${child.exitCode}: ${log}`);
  }

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
  }

  stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    return this.#ended;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
