import { path } from "../kinds/kinds.ts";
import { integer, MAX_KIBIBYTES } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const { optional, withDefault } = rowsOf("Storage", "storage");

export const storage = {
  dataDirectory: optional({
    flags: ["--data-directory"],
    env: ["DATA_DIRECTORY"],
    kind: path,
    to: ["storage.directory"],
    meaning: "directory of the node's data; unset means a temporary one that is deleted at exit",
  }),
  dataStoreMapSizeKb: withDefault(
    {
      flags: ["--data-store-map-size-kb"],
      env: ["DATA_STORE_MAP_SIZE_KB"],
      kind: integer(1024, MAX_KIBIBYTES),
      to: ["storage.mapSizeKb"],
      meaning: "maximum size of the chain store in KiB",
    },
    134217728,
  ),
};
