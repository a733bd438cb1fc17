import { boolean, type Kind, oneOf, path } from "../kinds/kinds.ts";
import { LOG_LEVELS, type LogFilter, LogLevelError, parseLogFilter, printLogFilter } from "../kinds/log-filter.ts";
import { integer } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const { optional, withDefault } = rowsOf("Logging", "process");

function readLogFilter(given: string): LogFilter | LogLevelError {
  try {
    return parseLogFilter(given);
  } catch (error) {
    if (error instanceof LogLevelError) return error;
    throw error;
  }
}

const logFilter: Kind<LogFilter> = {
  name: "log filter",
  placeholder: "levels",
  rule: `must be a level (silent, ${Object.keys(LOG_LEVELS).join(", ")}), then optional level:module,... statements behind semicolons`,
  parse(given) {
    const filter = readLogFilter(given);
    return filter instanceof LogLevelError ? undefined : filter;
  },
  fault(given) {
    const filter = readLogFilter(given);
    return filter instanceof LogLevelError ? filter.message : undefined;
  },
  show: printLogFilter,
};

export const logging = {
  logLevel: withDefault(
    {
      env: ["LOG_LEVEL"],
      kind: logFilter,
      meaning: "log level, then optional level:module,... statements, as in info;debug:archiver,rpc",
    },
    parseLogFilter("info"),
  ),
  logJson: withDefault({ env: ["LOG_JSON"], kind: boolean, meaning: "write log lines as JSON objects" }, false),
  logFormat: optional({
    env: ["LOG_FORMAT"],
    kind: oneOf(["pretty", "logfmt", "json"]),
    meaning: "form of log lines; pretty if unset, json with LOG_JSON",
  }),
  logFile: optional({
    flags: ["--log-file"],
    env: ["SVC_LOG_FILE"],
    kind: path,
    meaning: "file that gets the log too; each process needs one of its own",
  }),
  logFileMaxMb: withDefault(
    {
      flags: ["--log-file-max-mb"],
      env: ["SVC_LOG_FILE_MAX_MB"],
      kind: integer(1, 1_000_000),
      meaning: "megabytes from which the next line begins another log file",
    },
    100,
  ),
  logFileMaxHours: withDefault(
    {
      flags: ["--log-file-max-hours"],
      env: ["SVC_LOG_FILE_MAX_HOURS"],
      kind: integer(1, 100_000),
      meaning: "age in hours from which the next line begins another log file",
    },
    24,
  ),
  logFilesKept: withDefault(
    {
      flags: ["--log-files-kept"],
      env: ["SVC_LOG_FILES_KEPT"],
      kind: integer(1, 10_000),
      meaning: "earlier log files that are kept, as <file>.1, the latest, and so on",
    },
    7,
  ),
  logMultiline: withDefault(
    {
      env: ["LOG_MULTILINE"],
      kind: boolean,
      meaning: "print the data of a log entry over several lines",
      unused: true,
    },
    false,
  ),
  logNoColorPerActor: withDefault(
    { env: ["LOG_NO_COLOR_PER_ACTOR"], kind: boolean, meaning: "use one colour for all actors", unused: true },
    false,
  ),
  useGcloudLogging: withDefault(
    {
      env: ["USE_GCLOUD_LOGGING"],
      kind: boolean,
      meaning:
        "write log lines as JSON objects with the field names of Google Cloud Logging, whatever LOG_FORMAT is, and export none over OTLP",
    },
    false,
  ),
};
