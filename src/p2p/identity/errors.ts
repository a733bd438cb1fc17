import { OperatorError } from "../../errors/operator-error.ts";

/** A peer key is malformed. The message never contains the key. */
export class PeerKeyError extends OperatorError {
  override readonly errorCode = "peer-key";

  /** Where the key came from: an option, an argument or a file. */
  readonly source: string;
  readonly rule: string;

  constructor(source: string, rule: string, options?: ErrorOptions) {
    super(`${source} ${rule}`, options);
    this.name = "PeerKeyError";
    this.source = source;
    this.rule = rule;
  }
}
