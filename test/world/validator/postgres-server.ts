import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../../support/free-port.ts";

const ROOT = "/usr/lib/postgresql";
const START_MS = 60_000;

/**
 * Folder of the server's programs. Throws if PostgreSQL is not installed, so that its tests fail and are not skipped.
 */
function programs(): string {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).map(Number).filter(Number.isFinite) : [];
  const newest = versions
    .sort((a, b) => b - a)
    .find((version) => existsSync(join(ROOT, String(version), "bin/initdb")));
  if (newest === undefined) throw new Error("these tests need PostgreSQL: install Debian's package postgresql");
  return join(ROOT, String(newest), "bin");
}

/** PostgreSQL refuses to run as root, so root runs it as the package's user. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** A private PostgreSQL server in a temporary folder, on a free port of loopback. */
export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  /** Of the superuser. */
  readonly password = "sec:ret-of-tests";
  readonly #bin: string;
  readonly #owner: { uid: number; gid: number } | undefined;
  #server: ChildProcess | undefined;
  #log = "";

  private constructor(bin: string, folder: string, port: number) {
    this.#bin = bin;
    this.folder = folder;
    this.port = port;
    this.#owner = owner();
  }

  /** Makes a new, empty cluster and starts it. */
  static async create(): Promise<PostgresServer> {
    const bin = programs();
    const server = new PostgresServer(bin, mkdtempSync(join(tmpdir(), "svc-pg-")), await freePort());
    try {
      server.#initialize();
      await server.start();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  #initialize(): void {
    const passwordFile = join(this.folder, "password");
    writeFileSync(passwordFile, `${this.password}\n`);
    mkdirSync(this.#data);
    if (this.#owner !== undefined) {
      for (const path of [this.folder, this.#data, passwordFile]) chownSync(path, this.#owner.uid, this.#owner.gid);
    }
    const options = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--no-sync"];
    execFileSync(join(this.#bin, "initdb"), ["-D", this.#data, "-E", "UTF8", "--locale=C", ...options], {
      ...this.#owner,
      cwd: this.folder,
      stdio: "pipe",
    });
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  /**
   * A server with a copy of this one's data as it is now, started. `promoted` makes it a standby that takes over, and
   * begins a timeline; otherwise it is a restored backup.
   */
  async copy(promoted: boolean): Promise<PostgresServer> {
    const other = new PostgresServer(this.#bin, mkdtempSync(join(tmpdir(), "svc-pg-")), await freePort());
    try {
      if (this.#owner !== undefined) chownSync(other.folder, this.#owner.uid, this.#owner.gid);
      const options = ["--checkpoint=fast", "--wal-method=stream", "--no-sync", "-d", this.url()];
      execFileSync(join(this.#bin, "pg_basebackup"), ["-D", other.#data, ...options], {
        ...this.#owner,
        cwd: other.folder,
        stdio: "pipe",
      });
      if (promoted) writeFileSync(join(other.#data, "standby.signal"), "");
      await other.start();
      if (promoted) await other.query("SELECT pg_promote()");
      return other;
    } catch (error) {
      await other.remove();
      throw error;
    }
  }

  /** URL of a database for the superuser, or for another user with the same password. */
  url(database = "postgres", user = "postgres"): string {
    return `postgresql://${user}:${encodeURIComponent(this.password)}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=50"];
    const options = settings.flatMap((setting) => ["-c", setting]);
    const server = spawn(join(this.#bin, "postgres"), ["-D", this.#data, "-p", String(this.port), ...options], {
      ...this.#owner,
      cwd: this.folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server = server;
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-20_000);
    });
    const giveUpAt = performance.now() + START_MS;
    for (;;) {
      try {
        await this.query("SELECT 1");
        return;
      } catch (error) {
        if (server.exitCode !== null || performance.now() > giveUpAt) {
          throw new Error(`PostgreSQL did not start: ${this.#log}`, { cause: error });
        }
        await sleep(50);
      }
    }
  }

  /** `SIGINT` ends sessions and writes everything, `SIGQUIT` and `SIGKILL` leave the work to recovery at the start. */
  async stop(signal: "SIGINT" | "SIGQUIT" | "SIGKILL" = "SIGINT"): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }

  async restart(signal?: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void> {
    await this.stop(signal);
    // After SIGKILL the other processes of the server take a moment to notice, and until then it refuses to start.
    for (let tries = 1; ; tries++) {
      try {
        return await this.start();
      } catch (error) {
        if (tries === 20) throw error;
        await sleep(100);
      }
    }
  }

  /** A new database; its URL is `url(name)`. */
  async createDatabase(name: string): Promise<string> {
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  async query(text: string, values: unknown[] = [], url = this.url()): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** SQL of a database's tables, without data, comments and blank lines. */
  schema(database: string): string {
    const dump = execFileSync(join(this.#bin, "pg_dump"), ["--schema-only", "--no-owner", this.url(database)], {
      encoding: "utf8",
    });
    const lines = dump.split("\n").filter((line) => line !== "" && !/^(--|\\)/.test(line));
    return `${lines.join("\n")}\n`;
  }

  async remove(): Promise<void> {
    await this.stop("SIGQUIT");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
