import { writeSync } from "node:fs";
import { inspect } from "node:util";
import { type Logger, pino } from "pino";
import { LOG_LEVELS, type LogFilter, levelOf } from "../../config/kinds/log-filter.ts";
import { googleCloudLine } from "./google-cloud-line.ts";
import type { LogQueue } from "./log-queue.ts";
import { textLine } from "./log-text.ts";
import { logfmtLine } from "./logfmt-line.ts";

export type NodeLogger = Logger<"verbose">;

/** Creates the logger of a module, such as archiver or rpc:http. */
export interface LoggerFor {
  (module: string): NodeLogger;
  /** Lines that wait for their export; undefined if none are exported. */
  readonly exported?: LogQueue;
}

interface LoggingOptions {
  filter: LogFilter;
  /** Write JSON objects instead of text lines. Their messages contain field names in braces. */
  json: boolean;
  /** Write logfmt instead of text lines. */
  logfmt?: boolean;
  /** With the field names of Google Cloud Logging; goes with JSON. */
  googleCloud?: boolean;
  /** Texts to redact in every line. */
  secrets: readonly string[];
  /** Keeps the latest lines. */
  tail?: { add(line: string): void };
  /** Takes every line, as JSON, for its export. */
  exported?: LogQueue;
  /** Gets every line too, in the same form. */
  file?: { write(line: string): void };
  /** Writes one line; to standard error by default. */
  write?: (line: string) => void;
}

const REDACTED = "[Redacted]";
/**
 * Properties that are always redacted, at the top level and one level deep
 * (docs/protocol/09-configuration.md#913-logs).
 */
const SECRET_PROPERTIES = [
  "validatorPrivateKeys",
  "publisherPrivateKeys",
  "peerIdPrivateKey",
  "l1PrivateKey",
  "senderPrivateKey",
  "l1ConsensusHostApiKeys",
  "privateKey",
  "mnemonic",
  "l1Mnemonic",
  "databaseUrl",
];

/** Writes synchronously, so that the last lines before a crash are not lost. */
function writeToStandardError(line: string): void {
  let rest = Buffer.from(line);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      else return;
    }
  }
}

function withTextualBigints(value: unknown, depth = 0): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  if (value instanceof Error) return depth === 0 ? value : { type: value.name, message: value.message };
  if (Array.isArray(value)) return value.map((item) => withTextualBigints(item, depth + 1));
  if (typeof value !== "object" || value === null || depth > 4) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withTextualBigints(item, depth + 1)]));
}

/**
 * Message of an error or fatal line: the inspected error is part of the text
 * (docs/protocol/09-configuration.md#913-logs).
 */
function withError(facts: object, message: string): [object, string] {
  const error = facts instanceof Error ? facts : (facts as { err?: unknown }).err;
  if (!(error instanceof Error)) return [facts, message];
  const others =
    facts instanceof Error ? {} : Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== error));
  return [others, `${message}: ${inspect(error)}`];
}

/** Of each logger: how many failed starts are being undone in its process. */
const undoing = new WeakMap<object, { starts: number }>();

/**
 * Runs `undo`, which stops what a failed start had started. What the parts complain about meanwhile, on any logger of
 * the process, is not why the start failed: it is left out, unless the level of their logger is debug.
 */
export async function undoingStart(log: NodeLogger, undo: () => Promise<void>): Promise<void> {
  const state = undoing.get(log) ?? { starts: 0 };
  state.starts += 1;
  try {
    await undo();
  } finally {
    state.starts -= 1;
  }
}

/** Creates the log of a process: levels per module, one line per event, secrets redacted. */
export function createLogging(options: LoggingOptions): LoggerFor {
  const { filter, json, logfmt, googleCloud, secrets, tail, exported, file, write = writeToStandardError } = options;
  const text = logfmt ? logfmtLine : textLine;
  const printed = googleCloud ? googleCloudLine : json ? (line: string) => line : text;
  const hidden = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const escaped = hidden.map((secret) => JSON.stringify(secret).slice(1, -1));
  const destination = {
    write(line: string) {
      let clean = line;
      for (const secret of escaped) clean = clean.replaceAll(secret, REDACTED);
      tail?.add(clean);
      const shown = printed(clean);
      write(shown);
      file?.write(shown);
      exported?.push(clean);
    },
  };
  const state = { starts: 0 };
  const root = pino(
    {
      level: "trace",
      customLevels: { verbose: LOG_LEVELS.verbose },
      // The hook has made a fact of an error; pino's own form of `err` would take its type for Object.
      serializers: { err: (fact: unknown) => fact },
      redact: { paths: SECRET_PROPERTIES.flatMap((name) => [name, `*.${name}`]), censor: REDACTED },
      hooks: {
        logMethod(args, method, level) {
          const isComplaint = level === LOG_LEVELS.warn || level === LOG_LEVELS.error;
          if (isComplaint && state.starts > 0 && !this.isLevelEnabled("debug")) return;
          const [facts, message, ...rest] = args as unknown as [object | string, string?, ...unknown[]];
          if (typeof facts === "string" || facts === undefined) return method.apply(this, args);
          const [shown, text] = level >= LOG_LEVELS.error ? withError(facts, message ?? "") : [facts, message ?? ""];
          return method.apply(this, [withTextualBigints(shown), text, ...rest] as unknown as typeof args);
        },
      },
    },
    destination,
  );
  const loggerFor = (module: string): NodeLogger => {
    const logger = root.child({ module }, { level: levelOf(filter, module) });
    undoing.set(logger, state);
    return logger;
  };
  return Object.assign(loggerFor, { exported });
}
