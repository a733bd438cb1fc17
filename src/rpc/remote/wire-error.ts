import { L1Error } from "../../l1/errors.ts";
import { UnknownStateError } from "../../world-state/errors.ts";
import { ExecutionError, RpcError } from "../jsonrpc/errors.ts";

/** An error as it crosses threads: errors lose their class on the way, and answers depend on it. */
export type WireError =
  | { kind: "rpc"; execution: boolean; code: number; message: string; data: unknown }
  | { kind: "l1"; rule: string; fatal: boolean }
  | { kind: "unknown-state"; block: number }
  | { kind: "other"; name: string; message: string; stack: string | undefined };

/** L1 failed the node's thread, which has the details in its log. */
class RemoteL1Error extends L1Error {
  override readonly name = "RemoteL1Error";
  readonly fatal: boolean;

  constructor(rule: string, fatal: boolean) {
    super(rule);
    this.fatal = fatal;
  }
}

export function toWire(error: unknown): WireError {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { kind: "rpc", execution: error instanceof ExecutionError, code, message, data };
  }
  if (error instanceof L1Error) return { kind: "l1", rule: error.rule, fatal: error.fatal };
  if (error instanceof UnknownStateError) return { kind: "unknown-state", block: error.block };
  if (error instanceof Error) return { kind: "other", name: error.name, message: error.message, stack: error.stack };
  return { kind: "other", name: "Error", message: String(error), stack: undefined };
}

export function fromWire(wire: WireError): Error {
  switch (wire.kind) {
    case "rpc": {
      const { code, message, data } = wire;
      return wire.execution ? new ExecutionError(message, { data }) : new RpcError(code, message, { data });
    }
    case "l1":
      return new RemoteL1Error(wire.rule, wire.fatal);
    case "unknown-state":
      return new UnknownStateError(wire.block);
    case "other": {
      const error = new Error(wire.message);
      error.name = wire.name;
      if (wire.stack !== undefined) error.stack = wire.stack;
      return error;
    }
  }
}
