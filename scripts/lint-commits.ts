/**
 * Checks the subjects of the last commits: at most 72 characters, so that lists of commits show them whole. Without a
 * repository (an unpacked archive) there is nothing to check.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const MAX_SUBJECT = 72;
const COMMITS = 50;

/** A line for each subject that is too long, of lines with an abbreviated hash and a subject. */
export function longSubjects(log: string): string[] {
  return log.split("\n").flatMap((line) => {
    const subject = line.slice(line.indexOf(" ") + 1);
    return subject.length > MAX_SUBJECT ? [`${line}: ${subject.length} characters, at most ${MAX_SUBJECT}`] : [];
  });
}

if (import.meta.filename === process.argv[1] && existsSync(join(import.meta.dirname, "../.git"))) {
  const log = execFileSync("git", ["log", `-${COMMITS}`, "--format=%h %s"], { encoding: "utf8" });
  const long = longSubjects(log);
  for (const line of long) process.stderr.write(`${line}\n`);
  process.exitCode = long.length === 0 ? 0 : 1;
}
