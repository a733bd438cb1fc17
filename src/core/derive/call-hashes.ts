import { SEPARATOR } from "../../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../../protocol/field.ts";
import type { Core, HashInput } from "../core.ts";

/**
 * Hash of a call's arguments (n x 32 bytes); zero when there are none
 * (docs/protocol/01-fields-and-hashing.md#117-arguments-and-calldata).
 */
export function argumentsHash(core: Core, args: Uint8Array): Fr {
  return args.length === 0 ? FR_ZERO : core.hashWithSeparator(SEPARATOR.FUNCTION_ARGS, args);
}

/** Input of calldataHash, for hashing several at once. */
export function calldataHashInput(calldata: Uint8Array): HashInput {
  return { separator: SEPARATOR.PUBLIC_CALLDATA, fields: calldata };
}

/**
 * Hash of public calldata (n x 32 bytes, the selector first). Empty calldata is hashed too
 * (docs/protocol/01-fields-and-hashing.md#117-arguments-and-calldata).
 */
export function calldataHash(core: Core, calldata: Uint8Array): Fr {
  return core.hashWithSeparator(SEPARATOR.PUBLIC_CALLDATA, calldata);
}
