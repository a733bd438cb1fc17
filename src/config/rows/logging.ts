import { boolean, type Kind } from "../kinds/kinds.ts";
import { LOG_LEVELS, type LogFilter, LogLevelError, parseLogFilter, printLogFilter } from "../kinds/log-filter.ts";
import { rowsOf } from "../kinds/option.ts";

const { withDefault } = rowsOf("Logging", "process");

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
        "write log lines as JSON objects with the field names of Google Cloud Logging, and export none over OTLP",
    },
    false,
  ),
};
