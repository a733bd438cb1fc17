import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../process/program-version.ts";
import { DevnetError } from "./errors.ts";

/** A node behind HAProxy; `address` is host:port. */
interface Backend {
  name: string;
  address: string;
}

/** Lines about a server; those of the first one stand for all. */
const SERVER = /^( +server )(full|follower-\d)((?:-live)? )"\$\{SVC_\w+\}"(.*)$/;

/** The configuration of `deploy/` with other nodes. */
function haproxyConfiguration(template: string, nodes: readonly Backend[]): string {
  return template
    .split("\n")
    .flatMap((line) => {
      const found = SERVER.exec(line);
      if (found === null) return [line];
      const [, head, server, middle, rest] = found;
      if (server !== "full") return [];
      return nodes.map(
        ({ name, address }) => `${head}${name}${middle}${address}${rest.replace("live/full", `live/${name}`)}`,
      );
    })
    .join("\n");
}

/** Throws a DevnetError that says how HAProxy is installed. */
export function requireHaproxy(): void {
  if (spawnSync("haproxy", ["-v"]).status === 0) return;
  throw new DevnetError("--behind-haproxy needs the program haproxy, 2.6 or later: apt-get install haproxy");
}

/** Writes the configuration for the nodes into a file. Throws a DevnetError. */
export function writeHaproxyConfiguration(file: string, nodes: readonly Backend[]): void {
  const template = join(packageRoot(), "deploy", "haproxy.cfg");
  if (!existsSync(template)) throw new DevnetError(`--behind-haproxy needs the file ${template}`);
  writeFileSync(file, haproxyConfiguration(readFileSync(template, "utf8"), nodes));
}
