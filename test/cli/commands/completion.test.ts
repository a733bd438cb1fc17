import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandWords } from "../../../src/cli/completion/command-words.ts";
import { completionScript, SHELLS, type Shell } from "../../../src/cli/completion/scripts.ts";
import { program } from "../../../src/cli/program.ts";

const commands = commandWords(program());

function inShell(shell: Shell, script: string): string {
  const { status, stdout, stderr } = spawnSync(shell, ["-c", script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** What bash offers for the last of the words. */
function offered(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(svc ${line}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return inShell("bash", `${completionScript("bash", commands)}\n${ask}`)
    .split("\n")
    .filter((word) => word !== "");
}

test("bash completes commands, commands below them, and their flags", () => {
  expect(offered("st")).toEqual(["start", "status"]);
  expect(offered("db", "")).toEqual(expect.arrayContaining(["stats", "check"]));
  expect(offered("db", "stats", "--da")).toEqual(["--data-directory", "--data-store-map-size-kb"]);
  expect(offered("start", "--local")).toContain("--local-network");
  expect(offered("start", "--data-directory", "/x", "--rpc-thr")).toEqual(["--rpc-threads"]);
  expect(offered("nonsense", "")).toEqual(expect.arrayContaining(["start", "--version"]));
});

const installed = SHELLS.filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0);
test.each(installed)("%s reads its script without a complaint", (shell) => {
  inShell(
    shell,
    `${shell === "zsh" ? "autoload -U compinit; compinit -u;" : ""}\n${completionScript(shell, commands)}`,
  );
});

test.each(SHELLS)("the script for %s has every command and every flag", (shell) => {
  const script = completionScript(shell, commands);
  for (const { path, flags } of commands) {
    expect(script).toContain(path);
    for (const flag of flags) expect(script).toContain(flag.slice(2));
  }
});
