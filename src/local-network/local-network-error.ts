import { OperatorError } from "../errors/operator-error.ts";

/** An operation of a local network is not possible. */
export class LocalNetworkError extends OperatorError {
  override readonly errorCode: string = "local-network";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LocalNetworkError";
  }
}
