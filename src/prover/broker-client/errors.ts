/** The broker could not be asked, or its answer is not one. Contains no URL, which may have secrets. */
export class BrokerUnavailableError extends Error {
  constructor(rule: string, options?: ErrorOptions) {
    super(rule, options);
    this.name = "BrokerUnavailableError";
  }
}

/** The broker refused a call. */
export class BrokerRefusalError extends Error {
  /** Of JSON-RPC. */
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method} was refused: ${message} (${code})`);
    this.name = "BrokerRefusalError";
    this.code = code;
  }
}

/** The broker belongs to another release. */
export class BrokerVersionError extends Error {
  constructor(header: string, expected: string, actual: string) {
    super(`the broker is of another release: ${header} is ${actual.slice(0, 80)}, must be ${expected}`);
    this.name = "BrokerVersionError";
  }
}
