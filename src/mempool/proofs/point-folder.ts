import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BN254_GENERATOR } from "./reference-strings.ts";

/**
 * A folder for CRS_PATH of bb's program. That of v5 takes the first point of the BN254 string from a file there, whatever
 * it is told, and would download the string where it is missing. bb writes a lock beside it.
 */
export class PointFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "svc-bb-crs-"));

  /** To be called before a start of bb: the system may have cleaned its folder for temporary files. */
  write(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.path, "bn254_g1.dat"), BN254_GENERATOR);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
