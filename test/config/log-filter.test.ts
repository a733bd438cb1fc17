import { expect, test } from "vitest";
import { levelOf, parseLogFilter } from "../../src/config/log-filter.ts";

/** Statements and levels as the reference's release v4.1.2 reads them. */
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
])("%s", (text, levels) => {
  const filter = parseLogFilter(text);
  expect(Object.fromEntries(Object.keys(levels).map((module) => [module, levelOf(filter, module)]))).toEqual(levels);
});

test("statements that come later come first in the search", () => {
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
])("%s is refused", (text, message) => {
  expect(() => parseLogFilter(text)).toThrow(message);
});
