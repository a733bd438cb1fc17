import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a stand-in for bb does, each a piece of shell script in the job's folder. */
export interface BbScripts {
  readonly prove: string;
  readonly verify?: string;
}

/** Writes a program with bb's command line that proves nothing. */
export function bbProgram(folder: string, name: string, { prove, verify = "exit 0" }: BbScripts): string {
  const path = join(folder, name);
  const version = '--version) echo "4.1.2" ;;';
  writeFileSync(path, `#!/bin/sh\ncase "$1" in\n${version}\nprove) ${prove} ;;\nverify) ${verify} ;;\nesac\n`);
  chmodSync(path, 0o755);
  return path;
}
