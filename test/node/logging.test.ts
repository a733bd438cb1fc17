import { expect, test } from "vitest";
import { parseLogFilter } from "../../src/config/log-filter.ts";
import { createLogging } from "../../src/node/logging.ts";

function logging(options: { level?: string; json?: boolean; secrets?: string[] }) {
  const lines: string[] = [];
  const loggerFor = createLogging({
    filter: parseLogFilter(options.level ?? "info"),
    json: options.json ?? false,
    secrets: options.secrets ?? [],
    write: (line) => lines.push(line),
  });
  return { lines, loggerFor };
}

test("a human line has time, level, module, message and facts", () => {
  const { lines, loggerFor } = logging({});
  loggerFor("archiver").info({ block: 7, mana: 12n, hash: new Uint8Array([1, 255]) }, "applied");
  loggerFor("node").info("hello");
  expect(lines[0]).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: archiver applied \{"block":7,"mana":"12","hash":"0x01ff"\}\n$/,
  );
  expect(lines[1]).toMatch(/\] INFO: node hello\n$/);
});

test("a JSON line has level number, time, pid, hostname, module, facts and msg", () => {
  const { lines, loggerFor } = logging({ json: true });
  loggerFor("rpc").verbose("not shown at info");
  loggerFor("rpc").warn({ port: 8080 }, "busy");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0])).toMatchObject({ level: 40, module: "rpc", port: 8080, msg: "busy", pid: process.pid });
});

test("levels differ by module", () => {
  const { lines, loggerFor } = logging({ level: "error;trace:rpc" });
  loggerFor("rpc:http").trace("kept");
  loggerFor("archiver").warn("dropped");
  expect(lines).toHaveLength(1);
});

test("an error is part of the text of an error line, and a fact of others", () => {
  const { lines, loggerFor } = logging({});
  loggerFor("node").error({ error: new RangeError("too far"), at: 3 }, "failed");
  loggerFor("node").warn({ error: new RangeError("too far") }, "odd");
  expect(lines[0]).toMatch(/ERROR: node failed: RangeError: too far/);
  expect(lines[0].trimEnd().split("\n").length).toBe(1);
  expect(lines[1]).toContain('{"error":{"type":"RangeError","message":"too far"}}');
});

test("no line contains a secret, wherever it stands", () => {
  const { lines, loggerFor } = logging({ json: true, secrets: ["v3/0123456789abcdef", 'quote"d-key'] });
  const log = loggerFor("l1");
  log.warn(
    { url: "https://rpc.example/v3/0123456789abcdef", deep: { mnemonic: "test junk", x: 'a quote"d-key' } },
    "down",
  );
  log.error({ error: new Error("GET https://rpc.example/v3/0123456789abcdef failed") }, "down");
  expect(lines.join("")).not.toMatch(/0123456789abcdef|test junk|quote/);
  expect(lines.join("").match(/\[Redacted\]/g)?.length).toBeGreaterThanOrEqual(4);
});
