import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";
import { NODE_OPTIONS } from "./program.ts";

/** Of so many ports two are alike in every run, if each is drawn without regard to the others. */
const MANY = 300;

test("no two tests get the same port, be they in other processes, before anybody listens on it", async () => {
  const program = `
    import { freePort } from ${JSON.stringify(new URL("./free-port.ts", import.meta.url).href)};
    for (let i = 0; i < ${MANY}; i++) console.log(await freePort());`;
  const options = [...NODE_OPTIONS, "--input-type=module", "--eval", program];
  const theirs = execFileSync(process.execPath, options, { encoding: "utf8" }).trim().split("\n").map(Number);
  const own: number[] = [];
  for (let i = 0; i < MANY; i++) own.push(await freePort());
  expect(new Set([...theirs, ...own]).size).toBe(2 * MANY);
});
