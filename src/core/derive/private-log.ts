import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import type { Core } from "../core.ts";

/**
 * First field of a private log on chain, from the tag that its contract chose
 * (docs/protocol/01-fields-and-hashing.md#114-log-tags).
 */
export function siloPrivateLogFirstField(core: Core, contract: Fr, tag: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.PRIVATE_LOG_FIRST_FIELD, concat(contract, tag));
}
