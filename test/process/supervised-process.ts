/** Runs a service whose behaviour is the first argument; used by supervise.test.ts. */
import { writeFileSync } from "node:fs";
import { parseLogFilter } from "../../src/config/kinds/log-filter.ts";
import { OperatorError } from "../../src/errors/operator-error.ts";
import { createLogging } from "../../src/process/logging/logging.ts";
import { supervise } from "../../src/process/supervise.ts";

class ExpectedError extends OperatorError {
  override readonly errorCode: string = "expected";
}

const behaviour = process.argv[2];
const log = createLogging({ filter: parseLogFilter("info"), json: false, secrets: [] })("test");
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const start = async (signal: AbortSignal, _fail: unknown, end: () => void) => {
  setInterval(() => {}, 1000);
  if (behaviour === "slow-start") {
    log.info("starting");
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }
  if (behaviour === "expected-failure") throw new ExpectedError("mend this");
  if (behaviour === "no-space") writeFileSync("/dev/full", "x");
  if (behaviour === "failure") throw new TypeError("nobody expected this");
  setTimeout(() => {
    log.info("running");
    if (behaviour === "done") end();
    if (behaviour === "rejection") void Promise.reject(new RangeError("lost"));
    if (behaviour === "exception") throw new RangeError("thrown");
  }, 10);
  return {
    async stop() {
      if (behaviour === "slow-stop") await wait(700);
      if (behaviour === "failing-stop") throw new Error("cannot stop");
      log.info("the service has stopped");
    },
  };
};

process.once("exit", () => log.info("cleaned up"));
await supervise(start, { log });
