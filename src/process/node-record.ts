import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PartValues } from "../config/part-values.ts";
import { OperatorError } from "../errors/operator-error.ts";
import type { L1ContractAddresses, RollupIdentity } from "../l1/types.ts";
import { fromHex, toHex } from "../protocol/bytes.ts";
import type { Namespace } from "../rpc/registry/registry.ts";
import { replaceFile } from "../storage/replace-file.ts";

const SERVED = ["svc", "aztec", "node", "p2p", "prover"] as const satisfies Namespace[];
type ServedNamespace = (typeof SERVED)[number];

/** What a node writes into its data directory for the processes that read its store. */
export interface NodeRecord {
  /** URL of its public JSON-RPC port on this machine. */
  rpcUrl: string;
  /** That the port serves. */
  namespaces: readonly ServedNamespace[];
  mapSizeKb: number;
  realProofs: boolean;
  identity: RollupIdentity;
}

const FILE = "node.json";
const HEX_32 = /^0x[0-9a-f]{64}$/;
/** Addresses that mean every address of the machine. */
const UNSPECIFIED: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The record of a node has no valid form: it is damaged, or of another version of the program. */
export class NodeRecordError extends OperatorError {
  override readonly errorCode: string = "node-record";

  constructor(path: string, rule: string) {
    super(`${path} ${rule}; a node of this version that starts on the data directory writes it anew`);
    this.name = "NodeRecordError";
  }
}

/** URL at which the public port is reached from this machine. */
export function localUrl({ host, prefix }: Pick<PartValues["rpc"]["listen"], "host" | "prefix">, port: number): string {
  const reached = UNSPECIFIED[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${reached}:${port}${prefix}`;
}

/** Throws the system's error. */
export function writeNodeRecord(directory: string, { identity, ...rest }: NodeRecord): void {
  const { l1StartBlockHash, genesisArchiveRoot, ...plain } = identity;
  const hashes = { l1StartBlockHash: toHex(l1StartBlockHash), genesisArchiveRoot: toHex(genesisArchiveRoot) };
  const text = JSON.stringify({ ...rest, identity: { ...plain, ...hashes } }, undefined, 2);
  replaceFile(join(directory, FILE), `${text}\n`);
}

/** Undefined if no node has written one. Throws a NodeRecordError or the system's error. */
export function readNodeRecord(directory: string): NodeRecord | undefined {
  const path = join(directory, FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    throw new NodeRecordError(path, "is not JSON");
  }
  return new Fields(path, record, "").record();
}

/** The members of an object in a record. */
class Fields {
  readonly #path: string;
  readonly #name: string;
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(path: string, value: unknown, name: string) {
    this.#path = path;
    this.#name = name;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new NodeRecordError(path, `${name || "its content"} must be an object`);
    }
    this.#members = { ...value };
  }

  #wrong(key: string, rule: string): NodeRecordError {
    return new NodeRecordError(this.#path, `${this.#name}${key} must be ${rule}`);
  }

  #text(key: string, form: RegExp, rule: string): string {
    const value = this.#members[key];
    if (typeof value !== "string" || !form.test(value)) throw this.#wrong(key, rule);
    return value;
  }

  #number(key: string): number {
    const value = this.#members[key];
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw this.#wrong(key, "a whole number");
    return value as number;
  }

  #bytes(key: string): Uint8Array {
    return fromHex(this.#text(key, HEX_32, "0x and 64 hex digits"));
  }

  #object(key: string): Fields {
    return new Fields(this.#path, this.#members[key], `${this.#name}${key}.`);
  }

  record(): NodeRecord {
    const { namespaces, realProofs } = this.#members;
    if (!Array.isArray(namespaces) || !namespaces.every((name) => SERVED.includes(name))) {
      throw this.#wrong("namespaces", `a list of ${SERVED.join(", ")}`);
    }
    if (typeof realProofs !== "boolean") throw this.#wrong("realProofs", "true or false");
    return {
      rpcUrl: this.#text("rpcUrl", /^http:\/\/\S+$/, "an http URL"),
      namespaces,
      mapSizeKb: this.#number("mapSizeKb"),
      realProofs,
      identity: this.#object("identity").#identity(),
    };
  }

  #identity(): RollupIdentity {
    return {
      l1ChainId: this.#number("l1ChainId"),
      rollupVersion: this.#number("rollupVersion"),
      addresses: this.#object("addresses").#addresses(),
      constants: this.#object("constants").#constants(),
      l1StartBlockHash: this.#bytes("l1StartBlockHash"),
      genesisArchiveRoot: this.#bytes("genesisArchiveRoot"),
    };
  }

  #addresses(): L1ContractAddresses {
    const address = (key: string) => this.#text(key, /^0x[0-9a-fA-F]{40}$/, "an address");
    const known = Object.keys(this.#members).map((key) => [key, address(key)]);
    address("registryAddress");
    address("rollupAddress");
    return Object.fromEntries(known) as unknown as L1ContractAddresses;
  }

  #constants(): RollupIdentity["constants"] {
    const numbers = Object.keys(this.#members).map((key) => [key, this.#number(key)]);
    this.#number("epochDuration");
    this.#number("slotDuration");
    return Object.fromEntries(numbers) as unknown as RollupIdentity["constants"];
  }
}
