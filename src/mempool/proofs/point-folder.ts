import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../storage/make-folder.ts";
import { BbProgramError } from "./bb-program.ts";
import { BN254_GENERATOR } from "./reference-strings.ts";

/**
 * A folder for CRS_PATH of a program that takes the first point of the BN254 string from a file there, whatever it is
 * told, and would download the string where it is missing (ProofProgram.readsPoint). bb writes a lock beside it.
 */
export class PointFolder {
  readonly path: string;

  /** `path` is absolute and the folder's own: it is removed with it. */
  constructor(path: string) {
    this.path = path;
  }

  /**
   * Makes what is missing: to be called before a start of bb and before each verification, since somebody may have
   * cleaned up. Another bb never sees a part of the file. Throws a BbProgramError.
   */
  write(): void {
    const file = join(this.path, "bn254_g1.dat");
    try {
      if (statSync(file, { throwIfNoEntry: false })?.size === BN254_GENERATOR.length) return;
      makeFolder(this.path, 0o700);
      writeFileSync(`${file}.part`, BN254_GENERATOR);
      renameSync(`${file}.part`, file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new BbProgramError(undefined, `the file ${file}, which bb reads, cannot be written (${code})`);
    }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
