/**
 * An error that the operator can fix. The message names the subject and the rule, so a stack trace is not needed: a
 * failed start logs only this line and exits with code 1, and the admin port returns the message.
 */
export abstract class OperatorError extends Error {
  /** Stable across releases, for scripts and alerts. */
  abstract readonly errorCode: string;
}
