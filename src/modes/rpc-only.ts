import { MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import { partValues } from "../config/part-values.ts";
import type { Mode } from "./mode.ts";

function withDirectory(values: Values): Values & { dataDirectory: string } {
  const { dataDirectory } = values;
  if (dataDirectory === undefined) {
    throw new MissingOptionError(
      "dataDirectory",
      "The data directory of a running node is needed: give --data-directory or DATA_DIRECTORY",
    );
  }
  return { ...values, dataDirectory };
}

/** Serves JSON-RPC from the store of a node on the same machine, and nothing else. */
export const rpcOnlyMode: Mode = {
  name: "rpc only",
  selected: ({ rpcOnly }) => rpcOnly,
  async checks() {
    const { apiKeys } = await import("../node/keys/api-keys.ts");
    return [withDirectory, (values) => apiKeys(partValues(values).rpc.keys)];
  },
  async run({ values, warnings }, version) {
    const directoryValues = withDirectory(values);
    const { runRpcOnly } = await import("../node/rpc-only/run-rpc-only.ts");
    return runRpcOnly(directoryValues, version, warnings);
  },
};
