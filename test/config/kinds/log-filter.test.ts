import { expect, test } from "vitest";
import { levelOf, parseLogFilter } from "../../../src/config/kinds/log-filter.ts";

/** Filters and levels as release v4.1.2 of the reference reads them. */
test.each([
  ["info", { p2p: "info" }],
  [
    "debug;warn:p2p,archiver;error:p2p:gossip",
    { p2p: "warn", archiver: "warn", sequencer: "debug", "p2p:gossip": "error" },
  ],
  ["info;trace:aztec:sequencer", { sequencer: "trace", "sequencer:publisher": "trace", node: "info" }],
  ["warn;debug:^p2p$", { p2p: "debug", "p2p:x": "warn" }],
  ["verbose;SILENT:Rpc", { rpc: "silent", archiver: "verbose" }],
  ["info;debug:(", { "(x": "debug", x: "info" }],
])("log filter %s gives each module its level", (text, levels) => {
  const filter = parseLogFilter(text);
  expect(Object.fromEntries(Object.keys(levels).map((module) => [module, levelOf(filter, module)]))).toEqual(levels);
});

test("later statements of a log filter take precedence", () => {
  expect(parseLogFilter("debug;warn:p2p,archiver;error:p2p:gossip").statements).toEqual([
    ["p2p:gossip", "error"],
    ["archiver", "warn"],
    ["p2p", "warn"],
  ]);
});

test.each([
  ["loud", "Invalid log level: loud"],
  ["INFO", "Invalid log level: INFO"],
  ["info;debug", "Invalid log filter statement: debug"],
  ["info;loud:p2p", "Invalid log level: loud"],
])("log filter %s is refused", (text, message) => {
  expect(() => parseLogFilter(text)).toThrow(message);
});
