/** The part of a pino logger that the RPC layer uses: facts first, then one sentence. */
export interface RpcLogger {
  debug(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
