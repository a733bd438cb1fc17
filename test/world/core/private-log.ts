import type { Core } from "../../../src/core/core.ts";
import { concat } from "../../../src/protocol/bytes.ts";
import { SEPARATOR } from "../../../src/protocol/constants.ts";
import type { Fr } from "../../../src/protocol/field.ts";

/**
 * First field of a private log on chain, from the tag that its contract chose
 * (docs/protocol/01-fields-and-hashing.md#114-log-tags).
 */
export function siloPrivateLogFirstField(core: Core, contract: Fr, tag: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.PRIVATE_LOG_FIRST_FIELD, concat(contract, tag));
}
