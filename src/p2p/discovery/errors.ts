import { OperatorError } from "../../errors/operator-error.ts";

/** A configured or given node record is not valid. */
export class NodeRecordError extends OperatorError {
  override readonly errorCode = "node-record";

  readonly subject: string;
  readonly rule: string;

  constructor(subject: string, rule: string) {
    super(`${subject} ${rule}`);
    this.name = "NodeRecordError";
    this.subject = subject;
    this.rule = rule;
  }
}

/** The UDP port of discovery could not be bound. */
export class DiscoveryListenError extends OperatorError {
  override readonly errorCode = "cannot-listen";

  readonly address: string;
  readonly port: number;

  constructor(address: string, port: number, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${address} UDP port ${port} (${cause.code})`, { cause });
    this.name = "DiscoveryListenError";
    this.address = address;
    this.port = port;
  }
}

/** The node's public address is neither given nor found. */
export class PublicAddressError extends OperatorError {
  override readonly errorCode = "public-address";

  constructor(message: string) {
    super(message);
    this.name = "PublicAddressError";
  }
}
