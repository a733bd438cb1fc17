import { OperatorError } from "../../errors/operator-error.ts";

/** A transaction was not sent: it is not on L1, and its nonce is unused. */
export class L1TxNotSentError extends Error {
  override readonly name = "L1TxNotSentError";
  readonly address: string;
  readonly reason: string;
  /** It timed out before it could be sent. */
  readonly late: boolean;

  constructor(address: string, reason: string, { late = false, cause }: { late?: boolean; cause?: unknown } = {}) {
    super(`transaction of ${address} was not sent: ${reason}`, { cause });
    this.address = address;
    this.reason = reason;
    this.late = late;
  }
}

/** A signer did not return a usable signature. Contains only the host of the signer's URL. */
export class L1SignerError extends Error {
  override readonly name = "L1SignerError";
  readonly address: string;
  readonly rule: string;

  constructor(address: string, rule: string, options?: ErrorOptions) {
    super(`signer of ${address}: ${rule}`, options);
    this.address = address;
    this.rule = rule;
  }
}

/** The store of sent transactions has an unknown schema version. */
export class L1TxStoreError extends OperatorError {
  override readonly errorCode: string = "l1-tx-store";

  override readonly name = "L1TxStoreError";
  readonly path: string;
  readonly found: string;

  constructor(path: string, found: string) {
    super(`${path}: schema version must be 1, found ${found}`);
    this.path = path;
    this.found = found;
  }
}
