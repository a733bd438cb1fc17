import { writeSync } from "node:fs";
import { inspect } from "node:util";
import { type Logger, pino } from "pino";
import { LOG_LEVELS, type LogFilter, levelOf } from "../config/log-filter.ts";

export type NodeLogger = Logger<"verbose">;

/** Makes one logger per module, such as archiver or rpc:http. */
export type LoggerFor = (module: string) => NodeLogger;

export interface LoggingOptions {
  filter: LogFilter;
  /** JSON objects instead of one human line each. */
  json: boolean;
  /** Texts that no line may contain. */
  secrets: readonly string[];
  /** Takes whole lines; standard error by default. */
  write?: (line: string) => void;
}

const REDACTED = "[Redacted]";
/** Properties that are never written, at the top or one object deep (sheet 09 section 3). */
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
const LEVEL_NAMES = new Map<number, string>(
  Object.entries(LOG_LEVELS).map(([name, value]) => [value, name.toUpperCase()]),
);
/** Fields of every line that the human form places or leaves out. */
const ENVELOPE = ["level", "time", "pid", "hostname", "module", "msg"];

/** Log lines are written before the call returns, so that the last words of a crash are not lost. */
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

/** `[HH:MM:ss.SSS] LEVEL: module message {data}`, local time; line ends and other control characters become a space. */
export function humanLine(line: string): string {
  const record: Record<string, unknown> = JSON.parse(line);
  const time = new Date(Number(record.time));
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((n) => String(n).padStart(2, "0"))
    .join(":");
  const facts = Object.entries(record).filter(([name]) => !ENVELOPE.includes(name));
  const level = LEVEL_NAMES.get(Number(record.level)) ?? String(record.level);
  const message = String(record.msg ?? "").replace(/\s*\p{Cc}+\s*/gu, " ");
  const shown = facts.length === 0 ? "" : ` ${JSON.stringify(Object.fromEntries(facts))}`;
  return `[${clock}.${String(time.getMilliseconds()).padStart(3, "0")}] ${level}: ${record.module} ${message}${shown}\n`;
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

/** Message of an error or fatal line: the inspected error is part of the text (sheet 09 section 7). */
function withError(facts: object, message: string): [object, string] {
  const error =
    facts instanceof Error
      ? facts
      : ((facts as { error?: unknown; err?: unknown }).error ?? (facts as { err?: unknown }).err);
  if (!(error instanceof Error)) return [facts, message];
  const others =
    facts instanceof Error ? {} : Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== error));
  return [others, `${message}: ${inspect(error)}`];
}

/** The log of a process: levels by module, one line per event, secrets taken out of every line. */
export function createLogging({ filter, json, secrets, write = writeToStandardError }: LoggingOptions): LoggerFor {
  const hidden = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const escaped = hidden.map((secret) => JSON.stringify(secret).slice(1, -1));
  const destination = {
    write(line: string) {
      let clean = line;
      for (const secret of escaped) clean = clean.replaceAll(secret, REDACTED);
      write(json ? clean : humanLine(clean));
    },
  };
  const root = pino(
    {
      level: "trace",
      customLevels: { verbose: LOG_LEVELS.verbose },
      redact: { paths: SECRET_PROPERTIES.flatMap((name) => [name, `*.${name}`]), censor: REDACTED },
      hooks: {
        logMethod(args, method, level) {
          const [facts, message, ...rest] = args as unknown as [object | string, string?, ...unknown[]];
          if (typeof facts === "string" || facts === undefined) return method.apply(this, args);
          const [shown, text] = level >= LOG_LEVELS.error ? withError(facts, message ?? "") : [facts, message ?? ""];
          return method.apply(this, [withTextualBigints(shown), text, ...rest] as unknown as typeof args);
        },
      },
    },
    destination,
  );
  return (module) => root.child({ module }, { level: levelOf(filter, module) });
}
