import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { L1ContractAddresses } from "../l1/contract-addresses.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { replaceFile } from "../storage/replace-file.ts";
import { DevnetError } from "./errors.ts";
import type { DevnetPlan } from "./plan.ts";

/** Raised when a folder of an earlier program cannot be continued. */
const FORMAT = 1;

/** What a start leaves that ended, in any way, before it had written the record. */
const BEFORE_RECORD = /^(?:svc\.lock(?:\..+)?|devnet\.json\.new|watch\.pid|logs|blobs|nodes|settings)$/;

/** Contracts and times of the network, known once it is deployed. */
export interface DeployedDevnet {
  addresses: L1ContractAddresses;
  rollupVersion: number;
  /** Seconds; a multiple of the L1 slot before the start of every slot. */
  l1GenesisTime: number;
  l1SlotSeconds: number;
  slotSeconds: number;
  epochSlots: number;
  /** L2 accounts with fee juice in the genesis state, besides the test accounts. Absent: none. */
  prefundAddresses?: readonly string[];
}

/** What is kept of a network between starts. */
export interface DevnetRecord {
  format: number;
  plan: DevnetPlan;
  basePort: number;
  deployed?: DeployedDevnet;
}

/** The folder of a network; all data of its nodes are below it. Only its owner can read it. */
export class DevnetFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Makes the folder. Throws a DevnetError. */
  make(): void {
    try {
      for (const folder of [this.path, this.logs, this.blobs, join(this.path, "nodes"), this.settings]) {
        makeFolder(folder, 0o700);
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new DevnetError(`--data-directory ${this.path} cannot be made (${code})`, { cause: error });
    }
  }

  /** The record of an earlier start; undefined if the folder is new. Throws a DevnetError. */
  record(): DevnetRecord | undefined {
    const file = this.#recordFile;
    if (!existsSync(file)) {
      if (!this.#isEmpty()) {
        throw new DevnetError(`--data-directory ${this.path} has files, but not of a devnet: give a new folder`);
      }
      return undefined;
    }
    let record: DevnetRecord;
    try {
      record = JSON.parse(readFileSync(file, "utf8")) as DevnetRecord;
    } catch (error) {
      throw new DevnetError(`${file} cannot be read: remove ${this.path} to begin anew`, { cause: error });
    }
    if (record.format !== FORMAT) {
      throw new DevnetError(
        `${this.path} has the network of another version of svc (format ${record.format}, not ${FORMAT}): ` +
          "continue it with that version, or remove the folder to begin anew",
      );
    }
    return record;
  }

  write(record: Omit<DevnetRecord, "format">): void {
    replaceFile(this.#recordFile, `${JSON.stringify({ format: FORMAT, ...record }, undefined, 2)}\n`);
  }

  #isEmpty(): boolean {
    try {
      return readdirSync(this.path).every((name) => BEFORE_RECORD.test(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
      throw new DevnetError(`--data-directory ${this.path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  get #recordFile(): string {
    return join(this.path, "devnet.json");
  }

  get logs(): string {
    return join(this.path, "logs");
  }

  get blobs(): string {
    return join(this.path, "blobs");
  }

  get settings(): string {
    return join(this.path, "settings");
  }

  get l1State(): string {
    return join(this.path, "l1-state.json");
  }

  get controlSocket(): string {
    return join(this.path, "control.sock");
  }

  get watchFile(): string {
    return join(this.path, "watch.pid");
  }

  /** Folder of a node's keystore file. */
  keys(node: string): string {
    return join(this.path, "keys", node);
  }

  /** Data directory of a node. */
  data(node: string): string {
    return join(this.path, "nodes", node);
  }

  log(node: string): string {
    return join(this.logs, `${node}.log`);
  }
}
