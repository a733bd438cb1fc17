/** An upstream said something that is not so. Nothing of it was stored. */
export class UpstreamLieError extends Error {
  readonly upstream: string;
  readonly field: string;
  readonly expected: string;
  readonly got: string;

  constructor(upstream: string, { field, expected, got }: Difference, options?: ErrorOptions) {
    super(`upstream ${upstream}: ${field} must be ${expected}, got ${got}`, options);
    this.name = "UpstreamLieError";
    this.upstream = upstream;
    this.field = field;
    this.expected = expected;
    this.got = got;
  }
}

/** What an upstream's word differs in. */
export interface Difference {
  field: string;
  expected: string;
  got: string;
}

type UpstreamFault = "unreachable" | "refused" | "ended" | "silent" | "slow" | "malformed";

/** An upstream cannot be followed at the moment. */
export class UpstreamError extends Error {
  readonly upstream: string;
  readonly fault: UpstreamFault;

  constructor(upstream: string, fault: UpstreamFault, rule: string, options?: ErrorOptions) {
    super(`upstream ${upstream}: ${rule}`, options);
    this.name = "UpstreamError";
    this.upstream = upstream;
    this.fault = fault;
  }
}
