import { readFileSync } from "node:fs";
import type { BaseENR, ENR } from "@chainsafe/enr";
import { replaceFile } from "../../storage/replace-file.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { parseRecord } from "./record-rules.ts";

/** Keeps the node's last record as text, so that a changed one gets a higher sequence number after a restart. */
export class RecordFile {
  readonly #path: string;
  readonly #log: Logger;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** undefined if there is none, or none that can be read. */
  read(): ENR | undefined {
    try {
      return parseRecord(readFileSync(this.#path, "utf8").trim(), "the stored node record");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#failed(error, "read");
      return undefined;
    }
  }

  write(record: BaseENR): void {
    try {
      replaceFile(this.#path, `${record.encodeTxt()}\n`);
    } catch (error) {
      this.#failed(error, "written");
    }
  }

  #failed(error: unknown, verb: string): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ path: this.#path, reason }, `the node record in {path} cannot be ${verb}: {reason}`);
  }
}
