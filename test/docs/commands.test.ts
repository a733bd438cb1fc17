import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { configure } from "../../src/config/configuration.ts";
import type { Option } from "../../src/config/kinds/option.ts";
import { OPTIONS } from "../../src/config/options.ts";
import {
  type DocumentedCommands,
  documentedCommands,
  type ShellCommand,
  shellCommands,
} from "../world/docs/documented-commands.ts";

/** Why commands are not run, and only some of their words are checked: they need what no test has. */
const NOT_RUN: Readonly<Record<string, string>> = {
  ".": "reads settings into the reader's own shell",
  "apt-get": "installs packages of the system",
  base64: "prints what openssl made",
  cut: "prints what HAProxy answers",
  docker: "needs a container engine; its variables, files and ports are checked",
  echo: "is what HAProxy is told",
  haproxy: "runs in test/scaling; its file is checked",
  head: "reads a file that is downloaded",
  install: "installs into the system; files of the repository are checked",
  openssl: "reads a package that is downloaded",
  rm: "prepares another command",
  sha256sum: "reads a file that is downloaded",
  socat: "needs HAProxy's socket in /run",
  source: "changes the reader's own shell",
  systemctl: "changes the system",
  tar: "reads a package that is downloaded",
  useradd: "changes the system",
};

/** Variables that are no options of a node. */
const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  DATABASE_URL: "src/cli/commands/migrate-ha-db.ts",
  REFERENCE_HOME: "bench/run.ts",
  SVC_FOLLOWER_1: "deploy/haproxy.cfg",
  SVC_FOLLOWER_2: "deploy/haproxy.cfg",
  SVC_FULL: "deploy/haproxy.cfg",
  SVC_SOAK: "vitest.config.ts",
  SVC_TEST_BB: "test/mempool/scenarios/real-proof.test.ts",
  SVC_TEST_BUILT: "test/support/program.ts",
  SVC_TEST_TIMES: "vitest.config.ts",
  SVC_DOCTOR_OUTPUT: "test/cli/commands/doctor.test.ts",
};

const ROWS = Object.values(OPTIONS) as Option[];
const VARIABLES = new Set(ROWS.flatMap(({ env }) => env));
const FLAGS = new Set(ROWS.flatMap(({ flags }) => flags));
/** Stands for something of the reader's. */
const PLACEHOLDER = /\.\.|[<$]|\b[A-Z]{2,}\b|SUBSTITUTED/;
const svc = program();

type Fault = string | undefined;

function variableFault(name: string): Fault {
  if (VARIABLES.has(name)) return undefined;
  const file = OTHER_VARIABLES[name];
  if (file === undefined) return `no option has the variable ${name}`;
  return readFileSync(file, "utf8").includes(name) ? undefined : `${file} has no ${name}`;
}

function optionOf(command: Command, word: string) {
  return command.options.find(({ long, short }) => word === long || word === short);
}

/** Subcommand, options, arguments, and values of options that are no placeholders. */
function svcFaults(given: readonly string[], variables: ShellCommand["variables"], inline: boolean): Fault[] {
  let command = svc;
  const words = [...given];
  for (let sub = subcommand(command, words[0]); sub !== undefined; sub = subcommand(command, words[0])) {
    command = sub;
    words.shift();
  }
  const faults: Fault[] = [];
  if (command === svc && words[0] !== undefined && words[0] !== "--help") return [`svc has no command ${words[0]}`];
  if (command.commands.length > 0 && command.registeredArguments.length === 0 && !inline && words.length === 0) {
    if (!("_actionHandler" in command) || command._actionHandler === null)
      faults.push(`${command.name()} needs a subcommand`);
  }
  const flags = new Map<string, string>();
  let positional = 0;
  while (words.length > 0) {
    const word = words.shift() as string;
    if (!word.startsWith("-")) {
      if (word !== "..." && word !== "..") positional++;
      continue;
    }
    const [name, attached] = word.split("=", 2);
    if (name === "--help") continue;
    const option = optionOf(command, name);
    if (option === undefined) {
      faults.push(`svc ${command.name()} has no option ${name}`);
      continue;
    }
    const takes = option.required || (option.optional && words[0] !== undefined && !words[0].startsWith("-"));
    const value = attached ?? (takes ? words.shift() : "true");
    if (value === undefined) {
      if (!inline) faults.push(`${name} needs a value`);
    } else if (FLAGS.has(name) && !PLACEHOLDER.test(value)) flags.set(name, value);
  }
  const { registeredArguments: takes } = command;
  if (positional > takes.length && !takes.at(-1)?.variadic)
    faults.push(`svc ${command.name()} takes ${takes.length} arguments`);
  const environment = Object.fromEntries([...variables].filter(([, value]) => !PLACEHOLDER.test(value)));
  configure({ flags, environment }, (error) => void faults.push(error.message));
  return faults;
}

function subcommand(command: Command, name: string | undefined): Command | undefined {
  return command.commands.find((one) => one.name() === name || one.aliases().includes(name ?? ""));
}

function fileFault(path: string | undefined, folder = ""): Fault {
  return path !== undefined && existsSync(join(folder, path)) ? undefined : `there is no file ${path}`;
}

function npmFaults([name, ...rest]: readonly string[], command: ShellCommand, inline: boolean): Fault[] {
  if (["ci", "install", "pack"].includes(name)) return [];
  const script = name === "run" ? rest[0] : name;
  const at = rest.indexOf("--prefix");
  const folder = at < 0 ? "." : rest[at + 1];
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (scripts[script] === undefined) return [`package.json has no script ${script}`];
  const passed = rest.indexOf("--");
  return script === "svc" && passed >= 0 ? svcFaults(rest.slice(passed + 1), command.variables, inline) : [];
}

/** A script, and its options: each is named in it or in a file beside it. */
function scriptFaults([path, ...rest]: readonly string[]): Fault[] {
  if (path === "src/cli/main.ts") return svcFaults(rest, new Map(), true);
  const missing = fileFault(path);
  if (missing !== undefined) return [missing];
  const text = readFileSync(path, "utf8");
  const imported = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, name]) => join(dirname(path), name));
  const texts = [text, ...imported.filter((name) => existsSync(name)).map((name) => readFileSync(name, "utf8"))];
  return rest
    .filter((word) => word.startsWith("--"))
    .map((word) => (texts.some((one) => one.includes(word.slice(2))) ? undefined : `${path} has no option ${word}`));
}

/** Options of `docker run`: variables of the node, and files of the repository. */
function dockerFaults(words: readonly string[]): Fault[] {
  return words.flatMap((word, i) => {
    if (words[i - 1] === "-e") return [variableFault(word.split("=")[0])];
    return words[i - 1] === "-f" ? [fileFault(word)] : [];
  });
}

function faultsOf(command: ShellCommand, inline: boolean): Fault[] {
  const [name, ...rest] = command.words;
  const variables = [...command.variables.keys()];
  // Variables of the shell alone may have any name.
  const faults = name === undefined && !command.exports ? [] : variables.map(variableFault);
  switch (name) {
    case undefined:
    case "curl":
    // Reads a file that the commands before it made.
    case ".":
      return faults;
    case "svc":
      return [...faults, ...svcFaults(rest, command.variables, inline)];
    case "npm":
      return [...faults, ...npmFaults(rest, command, inline)];
    case "npx":
      if (rest[0] === "svc") return [...faults, ...svcFaults(rest.slice(1), command.variables, inline)];
      return [...faults, rest[0] === "vitest" ? fileFault(rest[2]) : `npx ${rest[0]} is not checked`];
    case "node":
    case "node_modules/.bin/node":
      return [...faults, ...scriptFaults(rest)];
    case "docker":
      return [...faults, ...dockerFaults(rest)];
    default:
      if (NOT_RUN[name] === undefined) return [`nothing checks ${name}`];
      return [...faults, ...rest.filter((word) => word.startsWith("deploy/")).map((word) => fileFault(word))];
  }
}

const commands = documentedCommands();
const parsed = (given: DocumentedCommands): ShellCommand[] => shellCommands(given.text);

test("every command of the documents is one that exists, with options, variables, scripts and files that exist", () => {
  expect(commands.length).toBeGreaterThan(90);
  const faults = commands.flatMap((given) =>
    parsed(given)
      .flatMap((command) => faultsOf(command, given.inline))
      .filter((fault) => fault !== undefined)
      .map((fault) => `${given.at}: ${fault}`),
  );
  expect(faults).toEqual([]);
});

test("blocks of commands are valid shell", () => {
  const blocks = commands.filter(({ inline }) => !inline).map(({ text }) => text.replaceAll(/<\w+>/g, "KEY"));
  execFileSync("bash", ["-n"], { input: blocks.join("\n") });
});

test("URLs of commands on this machine have the port of an option or one that the documents give", () => {
  const defaults = ROWS.flatMap(({ default: value }) => (typeof value === "number" ? [value] : []));
  const given = commands.flatMap(({ text }) =>
    [...text.matchAll(/(?:--[\w.-]*port|--listen) (\d+)/gi)].map(([, port]) => Number(port)),
  );
  const known = new Set([...defaults, ...given, 8545]);
  const urls = commands.flatMap(({ at, text }) =>
    [...text.matchAll(/(?:127\.0\.0\.1|localhost):(\d+)/g)].map(([, port]) => ({ at, port: Number(port) })),
  );
  expect(urls.length).toBeGreaterThan(10);
  expect(urls.filter(({ port }) => !known.has(port))).toEqual([]);
});

test("the commands that are not run are still those of the documents", () => {
  const named = new Set(commands.flatMap(parsed).map(({ words: [name] }) => name));
  expect(Object.keys(NOT_RUN).filter((name) => !named.has(name))).toEqual([]);
});

test("a wrong command is told", () => {
  const faults = (text: string) => shellCommands(text).flatMap((one) => faultsOf(one, false).filter((fault) => fault));
  expect(faults("svc strat --node")).toEqual(["svc has no command strat"]);
  expect(faults("svc start --nod")).toEqual(["svc start has no option --nod"]);
  expect(faults("AZTEC_PRT=1 svc start --node | grep x")).toEqual([
    "no option has the variable AZTEC_PRT",
    "nothing checks grep",
  ]);
  expect(faults("svc start --node --port eighty")).toEqual([expect.stringContaining("--port must be")]);
  expect(faults("svc keystore check a b c")).toEqual([expect.stringContaining("takes")]);
  expect(faults("npm run nothing && node nowhere.ts")).toEqual([
    "package.json has no script nothing",
    "there is no file nowhere.ts",
  ]);
});
