import type { Core } from "../core/core.ts";
import { selector } from "../core/derive/selector.ts";
import type { FunctionNames } from "../execution/revert-reason.ts";
import { readU32 } from "../protocol/bytes.ts";
import published from "./data/function-signatures.json" with { type: "json" };

/**
 * The names of the contracts that a local network has from its start, after those that clients registered. For the log
 * only: answers to clients have the names that were registered, as those of the reference.
 */
export function withContractNames(core: Core, registered: FunctionNames): FunctionNames {
  const names = new Map(
    Object.values(published.contracts)
      .flat()
      .map((signature) => [selector(core, signature), signature.split("(", 1)[0]]),
  );
  return { nameOf: (wanted) => registered.nameOf(wanted) ?? names.get(readU32(wanted, 0)) };
}
