import { OperatorError } from "../../../errors/operator-error.ts";
import { withoutUrl } from "../../../http/redact.ts";

/** The database of a high-availability group cannot be used. One line, without secrets. */
export class DutyDatabaseError extends OperatorError {
  override readonly errorCode: string = "ha-database";

  override readonly name = "DutyDatabaseError";
  readonly rule: string;
  /** The same request may succeed soon: the server is down, restarts, or hands over to another one. */
  readonly transient: boolean;

  constructor(rule: string, { transient = false, cause }: { transient?: boolean; cause?: unknown } = {}) {
    super(`high-availability database: ${rule}`, { cause });
    this.rule = rule;
    this.transient = transient;
  }
}

const MAX_TEXT = 200;

/** Conditions of PostgreSQL's appendix A with a clause for the operator. */
const CONDITIONS = new Map<string, { rule: string; transient?: boolean }>([
  ["42P01", { rule: "it has no tables; run `svc migrate-ha-db up --database-url <url>` first" }],
  ["28000", { rule: "it refuses this user" }],
  ["28P01", { rule: "it refuses the password" }],
  ["3D000", { rule: "the server has no database of that name" }],
  ["42501", { rule: "this user has no rights to its tables" }],
  ["53100", { rule: "its disk is full", transient: true }],
  ["53200", { rule: "it is out of memory", transient: true }],
  ["53300", { rule: "it has no connection left", transient: true }],
  ["25006", { rule: "the server is read-only, as a standby is", transient: true }],
  ["55000", { rule: "the server is in recovery, as a standby is", transient: true }],
  ["57P01", { rule: "the server shuts down", transient: true }],
  ["57P02", { rule: "the server crashed", transient: true }],
  ["57P03", { rule: "the server is starting or stopping", transient: true }],
  ["57014", { rule: "it cancelled the statement", transient: true }],
  ["55P03", { rule: "a lock of it was not free in time", transient: true }],
  ["40001", { rule: "a transaction of it must be repeated", transient: true }],
  ["40P01", { rule: "it found a deadlock", transient: true }],
]);

const NETWORK = new Map([
  ["ECONNREFUSED", "nobody listens at its address"],
  ["ECONNRESET", "the connection was reset"],
  ["EPIPE", "the connection was closed"],
  ["ETIMEDOUT", "the connection timed out"],
  ["EHOSTUNREACH", "its host cannot be reached"],
  ["ENETUNREACH", "its network cannot be reached"],
  ["ENOTFOUND", "its host name is not known"],
  ["EAI_AGAIN", "its host name cannot be looked up now"],
]);

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Converts an error of pg or of the network. `url` is removed from its text. */
export function databaseError(cause: unknown, url: string): DutyDatabaseError {
  if (cause instanceof DutyDatabaseError) return cause;
  const code = codeOf(cause);
  const known = code === undefined ? undefined : CONDITIONS.get(code);
  if (known !== undefined) return new DutyDatabaseError(known.rule, { transient: known.transient, cause });
  const network = code === undefined ? undefined : NETWORK.get(code);
  if (network !== undefined) return new DutyDatabaseError(network, { transient: true, cause });
  const text = cause instanceof Error ? cause.message.split("\n", 1)[0] : "unknown error";
  const shown = withoutUrl(text.slice(0, 1000), url).slice(0, MAX_TEXT);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) {
    // Class 08 means that the connection failed, 53 that a resource is used up, 57 that an operator intervened.
    return new DutyDatabaseError(`${shown} (SQLSTATE ${code})`, { transient: /^(08|53|57)/.test(code), cause });
  }
  // Errors of pg without a code: timeouts and connections that ended.
  return new DutyDatabaseError(shown, { transient: true, cause });
}
