import { readFileSync, statSync } from "node:fs";
import { type ConfigFile, ConfigFileError, parseConfigFile } from "../../config/config-file.ts";

/** The configuration file that was named; undefined if none was. Throws ConfigFileError. */
export function readConfigFile(path: string | true | undefined): ConfigFile | undefined {
  if (typeof path !== "string" || path.trim() === "") return undefined;
  let text: string;
  let mode: number;
  try {
    text = readFileSync(path, "utf8");
    mode = statSync(path).mode;
  } catch (error) {
    throw new ConfigFileError(path, [`cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  return { ...parseConfigFile(path, text), openToOthers: (mode & 0o077) !== 0 };
}
