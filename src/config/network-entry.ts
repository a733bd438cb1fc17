import { JsonField } from "../json/json-field.ts";
import { ConfigurationError } from "./errors.ts";

/** A network file, or its entry for the network, is invalid. */
class NetworkFileFormatError extends ConfigurationError {
  /** Path of the invalid field; empty for the file itself. */
  readonly field: string;
  /** What the field must be, as a clause that starts with "must". */
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field === "" ? "the file" : field} ${rule}`);
    this.name = "NetworkFileFormatError";
    this.field = field;
    this.rule = rule;
  }
}

/** Entry of one network in the network file. */
export interface NetworkEntry {
  /** Values by name of the environment variable that they set. */
  readonly variables: Readonly<Record<string, string>>;
  /** Newest release of the node software. */
  readonly nodeVersion: string | undefined;
}

interface Field {
  readonly field: string;
  readonly variable: string;
  readonly required?: true;
  readonly type: "text" | "number" | "list";
}

/** docs/protocol/09-configuration.md#94-network-file. */
const FIELDS: readonly Field[] = [
  { field: "bootnodes", variable: "BOOTSTRAP_NODES", type: "list", required: true },
  { field: "l1ChainId", variable: "L1_CHAIN_ID", type: "number", required: true },
  { field: "snapshots", variable: "SYNC_SNAPSHOTS_URLS", type: "list", required: true },
  { field: "registryAddress", variable: "REGISTRY_CONTRACT_ADDRESS", type: "text", required: true },
  { field: "feeAssetHandlerAddress", variable: "FEE_ASSET_HANDLER_CONTRACT_ADDRESS", type: "text" },
  { field: "blobFileStoreUrls", variable: "BLOB_FILE_STORE_URLS", type: "list" },
  { field: "txCollectionFileStoreUrls", variable: "TX_COLLECTION_FILE_STORE_URLS", type: "list" },
  { field: "blockDurationMs", variable: "SEQ_BLOCK_DURATION_MS", type: "number" },
  { field: "txPublicSetupAllowListExtend", variable: "TX_PUBLIC_SETUP_ALLOWLIST", type: "text" },
];

const ZERO_ADDRESS = `0x${"00".repeat(20)}`;

function textOf(value: JsonField, type: Field["type"]): string {
  switch (type) {
    case "text":
      return value.text(undefined, "must be a string");
    case "number":
      if (!Number.isSafeInteger(value.value)) value.broken("must be a whole number");
      return String(value.value);
    case "list": {
      const rule = "must be a list of strings without commas";
      const texts = value.items(rule).map((item) => item.value);
      if (!texts.every((item) => typeof item === "string" && !item.includes(","))) value.broken(rule);
      return texts.join(",");
    }
  }
}

/**
 * Reads the entry of one network from a network file: a JSON object with a member per network. Unknown members are
 * ignored. Returns undefined if the network is not in the file. Throws NetworkFileFormatError. Checks only JSON types;
 * the values are validated as options later.
 */
export function parseNetworkFile(text: string, network: string): NetworkEntry | undefined {
  const file = JsonField.parse(text, "", ({ field }, rule) => {
    throw new NetworkFileFormatError(field, rule);
  });
  file.object();
  if (!file.has(network)) return undefined;
  const entry = file.key(network);
  entry.object();
  const given = (name: string): JsonField | undefined => {
    const field = entry.key(name);
    return (field.value ?? undefined) === undefined ? undefined : field;
  };
  const variables: Record<string, string> = {};
  for (const { field, variable, type, required } of FIELDS) {
    const value = given(field);
    if (value !== undefined) variables[variable] = textOf(value, type);
    else if (required) entry.key(field).broken("must be given");
  }
  // A network that is not deployed yet. The zero address makes the start ask for an address.
  if (variables.REGISTRY_CONTRACT_ADDRESS === "") variables.REGISTRY_CONTRACT_ADDRESS = ZERO_ADDRESS;
  const nodeVersion = given("nodeVersion");
  return { variables, nodeVersion: nodeVersion && textOf(nodeVersion, "text") };
}
