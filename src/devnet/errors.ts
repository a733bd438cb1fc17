import { OperatorError } from "../errors/operator-error.ts";

/** A devnet cannot be started, continued or told what to do. */
export class DevnetError extends OperatorError {
  override readonly errorCode: string = "devnet";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DevnetError";
  }
}
