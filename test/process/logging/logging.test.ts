import { expect, test } from "vitest";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { Teardown } from "../../../src/process/teardown.ts";

function logging(options: {
  level?: string;
  json?: boolean;
  logfmt?: boolean;
  googleCloud?: boolean;
  secrets?: string[];
}) {
  const lines: string[] = [];
  const loggerFor = createLogging({
    filter: parseLogFilter(options.level ?? "info"),
    json: options.json ?? false,
    logfmt: options.logfmt,
    googleCloud: options.googleCloud,
    secrets: options.secrets ?? [],
    write: (line) => lines.push(line),
  });
  return { lines, loggerFor };
}

/** A line without its time. */
const said = (line: string): string => line.slice("[00:00:00.000] ".length);

test("a text log line has time, level, module and message, then facts in a column", () => {
  const { lines, loggerFor } = logging({});
  loggerFor("archiver").info({ block: 7, mana: 12n, hash: new Uint8Array([1, 255]) }, "applied");
  loggerFor("node").info("hello");
  expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] /);
  expect(said(lines[0])).toBe(`${"INFO: archiver: applied".padEnd(62)}block=7 mana=12 hash=0x01ff\n`);
  expect(said(lines[1])).toBe("INFO: node: hello\n");
});

test("facts named in a message are inserted in text, and separate from the constant message in JSON", () => {
  const message = "built block {block} of slot {slot} with {txs:tx} in {ms} ms";
  const text = logging({});
  text.loggerFor("sequencer").info({ block: 5, slot: 7, txs: 3, ms: 12 }, message);
  text.loggerFor("sequencer").info({ block: 6, slot: 8, txs: 1, ms: 9, skipped: 2 }, message);
  text.loggerFor("sequencer").info({ reason: "a\nb" }, "not {known}, {reason}");
  expect(text.lines.map(said)).toEqual([
    "INFO: sequencer: built block 5 of slot 7 with 3 txs in 12 ms\n",
    `${"INFO: sequencer: built block 6 of slot 8 with 1 tx in 9 ms".padEnd(62)}skipped=2\n`,
    "INFO: sequencer: not {known}, a b\n",
  ]);
  const json = logging({ json: true });
  json.loggerFor("sequencer").info({ block: 5, slot: 7, txs: 3, ms: 12 }, message);
  expect(JSON.parse(json.lines[0])).toMatchObject({ msg: message, block: 5, slot: 7, txs: 3, ms: 12 });
});

test("a logfmt line has time, level, module and sentence as fields, with quotes where they are needed", () => {
  const { lines, loggerFor } = logging({ logfmt: true });
  loggerFor("sequencer").info({ block: 5, ms: 12, why: "a b" }, "built block {block}");
  loggerFor("node").warn("stopped");
  expect(lines[0]).toMatch(
    /^time=\d{4}-\d\d-\d\dT[\d:.]+Z level=info module=sequencer msg="built block 5" ms=12 why="a b"\n$/,
  );
  expect(lines[1]).toMatch(/ level=warn module=node msg=stopped\n$/);
});

test("in logfmt a list is one value with quotes around it, also one of objects, and keys have no quotes", () => {
  const { lines, loggerFor } = logging({ logfmt: true });
  const facts = { names: ["a", "b c"], n: [1, 2], none: [], peers: [{ id: "x y", n: 1 }], by: { 'a "b"=c': null } };
  loggerFor("node").info(facts, "hello");
  expect(lines[0].slice(lines[0].indexOf("msg="))).toBe(
    'msg=hello names="a,b c" n=1,2 none=none peers="[{\\"id\\":\\"x y\\",\\"n\\":1}]" by.a--b-c=null\n',
  );
  const pretty = logging({});
  pretty.loggerFor("node").info(facts, "hello");
  expect(pretty.lines[0]).toContain('names=a,"b c" n=1,2 none=none peers=[{"id":"x y","n":1}] by.a-"b"=c=null');
});

test("facts are abbreviated: hashes by their ends, members by path, text with spaces in quotes", () => {
  const { lines, loggerFor } = logging({});
  const hash = `0x12345678${"00".repeat(24)}9abcdef0`;
  loggerFor("x").info(
    {
      hash,
      at: `0x${"ab".repeat(20)}`,
      slots: { published: 3, last: { n: 1 } },
      names: ["a", "b c"],
      none: [],
      why: "a=b",
    },
    "withoutTime",
  );
  expect(said(lines[0]).slice(62)).toBe(
    `hash=0x12345678..9abcdef0 at=0x${"ab".repeat(20)} slots.published=3 slots.last.n=1 names=a,"b c" none=none why="a=b"\n`,
  );
});

test("a JSON log line has level number, time, pid, hostname, module, facts and msg", () => {
  const { lines, loggerFor } = logging({ json: true });
  loggerFor("rpc").verbose("not shown at info");
  loggerFor("rpc").warn({ port: 8080 }, "busy");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0])).toMatchObject({ level: 40, module: "rpc", port: 8080, msg: "busy", pid: process.pid });
});

test("with the field names of Google Cloud a line has severity, timestamp and message, and secrets are hidden", () => {
  const { lines, loggerFor } = logging({ json: true, googleCloud: true, level: "trace", secrets: ["hush"] });
  for (const level of ["fatal", "error", "warn", "info", "verbose", "debug", "trace"] as const) {
    loggerFor("rpc")[level]({ port: 8080, word: "hush" }, "busy");
  }
  const given = lines.map((line) => JSON.parse(line));
  expect(given.map(({ severity }) => severity)).toEqual([
    ...["CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG", "DEBUG", "DEBUG"],
  ]);
  for (const { message, msg, time, timestamp, module, port, word } of given) {
    expect({ message, msg, module, port, word }).toEqual({
      ...{ message: "busy", msg: undefined, module: "rpc", port: 8080, word: "[Redacted]" },
    });
    expect(new Date(timestamp).getTime()).toBe(time);
  }
  expect(lines.every((line) => line.endsWith("}\n"))).toBe(true);
});

test("each module has its own log level", () => {
  const { lines, loggerFor } = logging({ level: "error;trace:rpc" });
  loggerFor("rpc:http").trace("kept");
  loggerFor("archiver").warn("dropped");
  expect(lines).toHaveLength(1);
});

test("an error is written in full in an error line, and as a fact in other lines", () => {
  const { lines, loggerFor } = logging({});
  loggerFor("node").error({ err: new RangeError("too far"), at: 3 }, "failed");
  loggerFor("node").warn({ err: new RangeError("too far") }, "odd");
  expect(lines[0]).toMatch(/ERROR: node: failed: RangeError: too far/);
  expect(lines[0].trimEnd().split("\n").length).toBe(1);
  expect(lines[1]).toContain('  err="RangeError: too far"');
});

test("no log line contains a secret, in message, facts or errors", () => {
  const { lines, loggerFor } = logging({ json: true, secrets: ["v3/0123456789abcdef", 'quote"d-key'] });
  const log = loggerFor("l1");
  log.warn(
    { url: "https://rpc.example/v3/0123456789abcdef", deep: { mnemonic: "test junk", x: 'a quote"d-key' } },
    "down",
  );
  log.error({ err: new Error("GET https://rpc.example/v3/0123456789abcdef failed") }, "down");
  expect(lines.join("")).not.toMatch(/0123456789abcdef|test junk|quote/);
  expect(lines.join("").match(/\[Redacted\]/g)?.length).toBeGreaterThanOrEqual(4);
});

test("while a failed start is undone, parts do not complain, except at level debug", async () => {
  const undone = async (level: string) => {
    const { lines, loggerFor } = logging({ level });
    const teardown = new Teardown(loggerFor("node"));
    const proofs = loggerFor("proofs");
    teardown.add("proofs", () => {
      proofs.error({ err: new Error("Terminating worker thread") }, "proofs cannot be checked");
      proofs.warn("one is left");
      proofs.info("stopped");
      throw new Error("cannot stop");
    });
    await teardown.undo();
    loggerFor("node").fatal("no space left");
    proofs.error("later");
    return lines.map((line) => said(line).split("\n")[0]);
  };
  expect(await undone("info")).toEqual(["INFO: proofs: stopped", "FATAL: node: no space left", "ERROR: proofs: later"]);
  expect(await undone("info;debug:proofs")).toEqual([
    expect.stringMatching(/^ERROR: proofs: proofs cannot be checked: Error: Terminating worker thread/),
    "WARN: proofs: one is left",
    "INFO: proofs: stopped",
    "FATAL: node: no space left",
    "ERROR: proofs: later",
  ]);
});
