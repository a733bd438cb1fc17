import type { Eventually } from "./eventually.ts";

export interface NamedSelector {
  /** 32 bits. */
  selector: number;
  name: string;
}

/** Names of contract functions by their selectors, for revert reasons. */
export interface FunctionSignatureRegister {
  register(functions: readonly NamedSelector[]): Eventually<void>;
}
