import { MissingOptionError } from "../config/errors.ts";
import type { Mode } from "./mode.ts";

/** Serves JSON-RPC from the store of a node on the same machine, and nothing else. */
export const rpcOnlyMode: Mode = {
  name: "rpc only",
  selected: ({ rpcOnly }) => rpcOnly,
  async run({ values, warnings }, version) {
    const { dataDirectory } = values;
    if (dataDirectory === undefined) {
      throw new MissingOptionError(
        "dataDirectory",
        "The data directory of a running node is needed: give --data-directory or DATA_DIRECTORY",
      );
    }
    const { runRpcOnly } = await import("../node/rpc-only/run-rpc-only.ts");
    return runRpcOnly({ ...values, dataDirectory }, version, warnings);
  },
};
