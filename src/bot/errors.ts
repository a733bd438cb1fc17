import { OperatorError } from "../errors/operator-error.ts";

/** The bot does not support the network or the configuration. */
export class BotRefusedError extends OperatorError {
  override readonly errorCode: string = "bot-refused";

  override readonly name = "BotRefusedError";
}

/** The node answered a call of the bot with an error or an unexpected result. */
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

/** A tx of the bot failed or did not reach the awaited status. */
export class BotTxError extends Error {
  override readonly name = "BotTxError";
  readonly txHash: string;

  constructor(txHash: string, rule: string) {
    super(`tx ${txHash} ${rule}`);
    this.txHash = txHash;
  }
}
