import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const SCRIPT = join(import.meta.dirname, "supervised-process.ts");

/** Runs the process; sends `signals` once it has logged `ready`. */
function run(
  behaviour: string,
  signals: NodeJS.Signals[] = [],
  ready = "running",
): Promise<{ code: number | null; log: string }> {
  const child = spawn(process.execPath, [SCRIPT, behaviour], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  let sent = false;
  child.stderr.on("data", (part: Buffer) => {
    log += part.toString("utf8");
    if (sent || !log.includes(ready)) return;
    sent = true;
    for (const [i, signal] of signals.entries()) setTimeout(() => child.kill(signal), i * 200);
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, log })));
}

test.each<[NodeJS.Signals, number]>([
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGQUIT", 131],
  ["SIGTERM", 143],
])("%s stops the service, cleans up and exits with %i", async (signal, code) => {
  const ended = await run("running", [signal]);
  expect(ended.code).toBe(code);
  expect(ended.log).toMatch(/stopping on SIG\w+\n.*the service has stopped\n.*stopped\n.*cleaned up\n$/);
});

test("a second signal is logged and changes nothing", async () => {
  const { code, log } = await run("slow-stop", ["SIGTERM", "SIGINT"]);
  expect(code).toBe(143);
  expect(log).toContain("already shutting down");
  expect(log).toContain("the service has stopped");
});

test("a signal during the start ends the process with code 0", async () => {
  expect(await run("slow-start", ["SIGINT"], "starting")).toMatchObject({
    code: 0,
    log: expect.stringContaining("cleaned up"),
  });
});

test("a service whose work is done is stopped, and the process exits with 0", async () => {
  const { code, log } = await run("done");
  expect(code).toBe(0);
  expect(log).toMatch(/running\n.*the service has stopped\n.*stopped\n.*cleaned up\n$/);
});

test("a failing stop still ends the process", async () => {
  expect(await run("failing-stop", ["SIGTERM"])).toMatchObject({
    code: 143,
    log: expect.stringContaining("cannot stop"),
  });
});

test.each([
  ["failure", /FATAL: test: the start failed: TypeError: nobody expected this at /],
  ["expected-failure", /FATAL: test: mend this .*expected/],
  ["no-space", /FATAL: test: the start failed: ENOSPC: no space left on device, write(?! at )[^\n]*system/],
  ["rejection", /FATAL: test: unhandled rejection: RangeError: lost at /],
  ["exception", /FATAL: test: uncaught exception: RangeError: thrown at /],
])("a process with behaviour %s exits with code 1, logs the reason and cleans up", async (behaviour, reason) => {
  const { code, log } = await run(behaviour);
  expect(code).toBe(1);
  expect(log).toMatch(reason);
  expect(log).toContain("cleaned up");
});
