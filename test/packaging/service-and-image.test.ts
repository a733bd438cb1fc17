import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { DEPLOY } from "./compose.ts";
import { startedConfiguration } from "./started-configuration.ts";

const L1 = { ETHEREUM_HOSTS: "https://l1.example", NETWORK: "mainnet" };

test("the unit of systemd starts a node with options of the table, in the state directory of the unit", () => {
  const lines = readFileSync(join(DEPLOY, "svc.service"), "utf8").split("\n");
  const settings = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const environment = Object.fromEntries(
    settings("Environment").flatMap((line) => line.split(" ").map((pair) => pair.split("=", 2) as [string, string])),
  );
  const [, ...args] = settings("ExecStart")[0].split(" ");
  const { values, warnings, mode } = startedConfiguration(args, { ...L1, ...environment });
  expect(mode).toBe("node");
  expect(warnings).toEqual([]);
  expect(values.dataDirectory).toBe(`/var/lib/${settings("StateDirectory")[0]}`);
  expect(environment.SVC_CONFIG).toBe(`/etc/${settings("ConfigurationDirectory")[0]}/node.yaml`);
});

/** Instructions of the last stage of the Dockerfile: word and rest, with continued lines joined. */
function lastStage(): [string, string][] {
  const text = readFileSync(join(DEPLOY, "Dockerfile"), "utf8")
    .replace(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const from = lines.findLastIndex((line) => line.startsWith("FROM "));
  return lines.slice(from).map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]);
}

test("the image starts a node as a user without rights, and exposes the ports that it has by default", () => {
  const stage = lastStage();
  const of = (word: string) => stage.find(([first]) => first === word)![1];
  expect(JSON.parse(of("ENTRYPOINT"))).toEqual(["svc"]);
  const environment = Object.fromEntries(
    of("ENV")
      .split(/\s+/)
      .map((pair) => pair.split("=", 2)),
  );
  const { values, mode } = startedConfiguration(JSON.parse(of("CMD")), { ...L1, ...environment });
  expect(mode).toBe("node");
  expect(of("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(of("VOLUME")).toBe(values.dataDirectory);
  expect(of("EXPOSE").split(" ")).toEqual(
    expect.arrayContaining([`${values.port}`, `${values.p2pPort}/tcp`, `${values.p2pPort}/udp`]),
  );
  expect(of("EXPOSE")).not.toContain(`${values.adminPort}`);
});

test("the health check of the image asks with a command and flags that there are", () => {
  const [, check] = lastStage().find(([word]) => word === "HEALTHCHECK")!;
  const [, name, flags] = /CMD svc (\S+) (.*) \|\| exit 1$/.exec(check)!;
  const command = program().commands.find((one) => one.name() === name)!;
  const known = command.options.map((option) => option.long);
  for (const flag of flags.match(/--[a-z-]+/g)!) expect(known).toContain(flag);
});
