import { secretTexts } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import { LogFile } from "./log-file.ts";
import { LogQueue } from "./log-queue.ts";
import type { LogTail } from "./log-tail.ts";
import { createLogging, type LoggerFor } from "./logging.ts";

const MEGABYTE = 1e6;
const MS_PER_HOUR = 3_600_000;

/** The loggers of a process, as its options say. Throws a LogFileError. */
export function loggingOf(values: Values, tail?: LogTail): LoggerFor {
  const format = values.logFormat ?? (values.logJson ? "json" : "pretty");
  const { logFile: path } = values;
  const file =
    path === undefined
      ? undefined
      : new LogFile({
          path,
          maxBytes: values.logFileMaxMb * MEGABYTE,
          maxAgeMs: values.logFileMaxHours * MS_PER_HOUR,
          kept: values.logFilesKept,
          complain: (text) => loggerFor("log").warn(text),
        });
  const loggerFor = createLogging({
    tail,
    file,
    filter: values.logLevel,
    json: format === "json",
    logfmt: format === "logfmt",
    googleCloud: values.useGcloudLogging,
    secrets: secretTexts(values),
    // As in the release, where Google's own agent collects the lines.
    exported: values.logsCollectorUrl === undefined || values.useGcloudLogging ? undefined : new LogQueue(),
  });
  return loggerFor;
}
