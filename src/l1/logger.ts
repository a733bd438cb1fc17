/** The part of a structured logger (pino's shape) that the L1 side writes to. */
export interface L1Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: L1Logger = { debug() {}, info() {}, warn() {}, error() {} };
