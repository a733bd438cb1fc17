import { OperatorError } from "../../errors/operator-error.ts";

/** The bot cannot work with the network or the configuration that it was given. */
export class BotRefusedError extends OperatorError {
  override readonly errorCode: string = "bot-refused";

  override readonly name = "BotRefusedError";
}

/** The node answered a call of the bot with an error, or with something else than the network's API gives. */
export class BotCallError extends Error {
  override readonly name = "BotCallError";
  readonly method: string;
  readonly status: number;

  constructor(method: string, status: number, rule: string, options?: ErrorOptions) {
    super(`${method}: ${rule}`, options);
    this.method = method;
    this.status = status;
  }
}

/** A tx of the bot did not get where it was waited for. */
export class BotTxError extends Error {
  override readonly name = "BotTxError";
  readonly txHash: string;

  constructor(txHash: string, rule: string) {
    super(`tx ${txHash} ${rule}`);
    this.txHash = txHash;
  }
}
