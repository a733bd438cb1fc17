/** The broker could not be asked, or its answer is not one. Contains no URL, which may have secrets. */
export class BrokerUnavailableError extends Error {
  /** Whether the broker would answer the same call in the same way again: another key or configuration is needed. */
  readonly permanent: boolean;

  constructor(rule: string, { permanent = false, ...options }: ErrorOptions & { permanent?: boolean } = {}) {
    super(rule, options);
    this.permanent = permanent;
    this.name = "BrokerUnavailableError";
  }
}

/** The broker refused a call. */
export class BrokerRefusalError extends Error {
  /** Of JSON-RPC. */
  readonly code: number;
  /** The broker's words. */
  readonly reason: string;

  constructor(method: string, code: number, reason: string) {
    super(`${method} was refused: ${reason} (${code})`);
    this.reason = reason;
    this.name = "BrokerRefusalError";
    this.code = code;
  }
}

/** The broker belongs to another release. */
export class BrokerVersionError extends BrokerUnavailableError {
  constructor(header: string, expected: string, actual: string) {
    super(`the broker is of another release: ${header} is ${actual.slice(0, 80)}, must be ${expected}`, {
      permanent: true,
    });
    this.name = "BrokerVersionError";
  }
}
