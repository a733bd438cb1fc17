import { secretTexts } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import { LogQueue } from "./log-queue.ts";
import type { LogTail } from "./log-tail.ts";
import { createLogging, type LoggerFor } from "./logging.ts";

/** The loggers of a process, as its options say. */
export function loggingOf(values: Values, tail?: LogTail): LoggerFor {
  return createLogging({
    tail,
    filter: values.logLevel,
    json: values.logJson,
    googleCloud: values.useGcloudLogging,
    secrets: secretTexts(values),
    // As in the release, where Google's own agent collects the lines.
    exported: values.logsCollectorUrl === undefined || values.useGcloudLogging ? undefined : new LogQueue(),
  });
}
