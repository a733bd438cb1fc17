import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PartValues } from "../config/part-values.ts";
import { OperatorError } from "../errors/operator-error.ts";
import { JsonField } from "../json/json-field.ts";
import { identityJson, readIdentityJson } from "../l1/identity-json.ts";
import type { RollupIdentity } from "../l1/types.ts";
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
/** Addresses that mean every address of the machine. */
const UNSPECIFIED: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The record of a node has no valid form: it is damaged, or of another version of the program. */
class NodeRecordError extends OperatorError {
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
  const text = JSON.stringify({ ...rest, identity: identityJson(identity) }, undefined, 2);
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
  const record = JsonField.parse(text, path, ({ field }, rule) => {
    throw new NodeRecordError(path, `${field === "" ? "its content" : field} ${rule}`);
  });
  record.object();
  const namespaces = record.key("namespaces");
  const served = SERVED.filter((name) => namespaces.items().some(({ value }) => value === name));
  if (served.length !== namespaces.items().length) namespaces.broken(`must be a list of ${SERVED.join(", ")}`);
  return {
    rpcUrl: record.key("rpcUrl").text(/^http:\/\/\S+$/, "must be an http URL"),
    namespaces: served,
    mapSizeKb: record.key("mapSizeKb").whole(),
    realProofs: record.key("realProofs").flag(),
    identity: readIdentityJson(record.key("identity")),
  };
}
