import { boolean, text } from "../kinds.ts";
import { rowsOf } from "../option.ts";

const { withDefault } = rowsOf("Logging", "process");

export const logging = {
  logLevel: withDefault(
    {
      env: ["LOG_LEVEL"],
      kind: text,
      meaning: "level, then optional level:module,... statements, as in info;debug:archiver,rpc",
    },
    "info",
  ),
  logJson: withDefault({ env: ["LOG_JSON"], kind: boolean, meaning: "log lines as JSON objects" }, false),
  logMultiline: withDefault(
    { env: ["LOG_MULTILINE"], kind: boolean, meaning: "spread the data of a line over several", unused: true },
    false,
  ),
  logNoColorPerActor: withDefault(
    { env: ["LOG_NO_COLOR_PER_ACTOR"], kind: boolean, meaning: "one colour for all actors", unused: true },
    false,
  ),
  useGcloudLogging: withDefault(
    { env: ["USE_GCLOUD_LOGGING"], kind: boolean, meaning: "field names of the Google Cloud log", unused: true },
    false,
  ),
};
