import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { askDevnet, type ControlRequest, type NodeStatus } from "../../../src/devnet/control.ts";
import { DevnetFolder } from "../../../src/devnet/folder.ts";
import { validatorKeys } from "../../../src/devnet/keys.ts";
import { SVC_PROGRAM } from "../../support/program.ts";
import { until } from "./json-rpc.ts";

/** The contracts are deployed and all nodes started within this, on a busy machine. */
const START_MS = 300_000;

interface DevnetOptions {
  /** New folder of the network. */
  folder: string;
  /** Flags of `svc devnet`. */
  args: readonly string[];
  /** Of the contracts and of all nodes. */
  environment: Readonly<Record<string, string>>;
}

/** A network that `svc devnet` runs. */
export class Devnet {
  readonly folder: DevnetFolder;
  readonly #process: ChildProcess;

  /** Resolves once all nodes answer. */
  static async start({ folder, args, environment }: DevnetOptions): Promise<Devnet> {
    const log = openSync(`${folder}.log`, "a");
    const command = ["--disable-warning=ExperimentalWarning", SVC_PROGRAM, "devnet", ...args];
    const child = spawn(process.execPath, [...command, "--data-directory", folder], {
      stdio: ["ignore", log, log],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...environment },
    });
    process.once("exit", () => child.kill("SIGTERM"));
    const devnet = new Devnet(new DevnetFolder(folder), child);
    await until(`all nodes of the network in ${folder} run`, START_MS, async () => {
      if (child.exitCode !== null) throw new Error(`svc devnet ended with ${child.exitCode}: see ${folder}.log`);
      return readFileSync(`${folder}.log`, "utf8").includes("All nodes run after");
    });
    return devnet;
  }

  private constructor(folder: DevnetFolder, child: ChildProcess) {
    this.folder = folder;
    this.#process = child;
  }

  async nodes(): Promise<NodeStatus[]> {
    return (await askDevnet(this.folder, { action: "status" })).nodes ?? [];
  }

  async act(action: Exclude<ControlRequest["action"], "status">, name: string): Promise<void> {
    await askDevnet(this.folder, { action, name });
  }

  /** Addresses of a validator and of the account that publishes for it; lower-case 0x text. */
  async accounts(name: string): Promise<{ attester: string; publisher: string }> {
    const { attester, publishers } = await validatorKeys(name, this.folder);
    return { attester, publisher: publishers[0] };
  }

  /** The variables with which a node of a validator that was left joins. */
  leftSettings(name: string): Record<string, string> {
    const text = readFileSync(join(this.folder.settings, `${name}.env`), "utf8");
    return Object.fromEntries(
      [...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, variable, value]) => [variable, value]),
    );
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
  }
}
