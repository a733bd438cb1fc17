import { OperatorError } from "../../errors/operator-error.ts";

/** Log levels (docs/protocol/09-configuration.md#913-logs). verbose is between info and debug. */
export const LOG_LEVELS = { fatal: 60, error: 50, warn: 40, info: 30, verbose: 25, debug: 20, trace: 10 } as const;
type LogLevel = keyof typeof LOG_LEVELS | "silent";

export class LogLevelError extends OperatorError {
  override readonly errorCode: string = "log-level";

  readonly statement: string;

  constructor(message: string, statement: string) {
    super(message);
    this.name = "LogLevelError";
    this.statement = statement;
  }
}

/**
 * Log level per module. The module pattern of a statement is a regular expression that matches the start of a module
 * name.
 */
export interface LogFilter {
  readonly level: LogLevel;
  /** In order of precedence: the last statement of the text comes first. */
  readonly statements: readonly (readonly [module: string, level: LogLevel])[];
}

function isLevel(text: string): text is LogLevel {
  return text === "silent" || Object.hasOwn(LOG_LEVELS, text);
}

/** Parses LOG_LEVEL: `<level>` or `<level>;<level>:<module>,<module>;...`. Throws LogLevelError. */
export function parseLogFilter(text: string): LogFilter {
  const [first, ...rest] = text.split(";");
  const level = first.trim();
  if (!isLevel(level)) throw new LogLevelError(`Invalid log level: ${level}`, level);
  const statements: [string, LogLevel][] = [];
  for (const statement of rest.map((part) => part.trim()).filter((part) => part !== "")) {
    const colon = statement.indexOf(":");
    if (colon < 0) throw new LogLevelError(`Invalid log filter statement: ${statement}`, statement);
    const statementLevel = statement.slice(0, colon).trim().toLowerCase();
    if (!isLevel(statementLevel)) throw new LogLevelError(`Invalid log level: ${statementLevel}`, statement);
    const modules = statement.slice(colon + 1).split(",");
    const named = modules
      .map((module) =>
        module
          .trim()
          .toLowerCase()
          .replace(/^aztec:/, ""),
      )
      .filter((m) => m !== "");
    statements.unshift(...named.reverse().map((module): [string, LogLevel] => [module, statementLevel]));
  }
  return { level, statements };
}

/** Inverse of `parseLogFilter`. */
export function printLogFilter({ level, statements }: LogFilter): string {
  return [level, ...statements.toReversed().map(([module, own]) => `${own}:${module}`)].join(";");
}

function matches(pattern: string, module: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})`).test(module);
  } catch {
    return module.startsWith(pattern);
  }
}

export function levelOf(filter: LogFilter, module: string): LogLevel {
  return filter.statements.find(([pattern]) => matches(pattern, module))?.[1] ?? filter.level;
}
