/**
 * An operator can mend it. The message names the thing and the rule, so that a stack adds nothing: a start that fails with it ends with
 * one log line and exit code 1, and the admin port answers with its message.
 */
export abstract class OperatorError extends Error {
  /** Stable across releases, for scripts and alerts. */
  abstract readonly errorCode: string;
}
