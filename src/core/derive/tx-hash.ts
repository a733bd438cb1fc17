import { SEPARATOR } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import { layoutOf, TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import type { Core } from "../core.ts";

/**
 * The kernel's output as the circuits see it, n x 32 bytes, from a tx's `data` (38,557 or 82,722 bytes): every primitive as a field, the
 * form's own byte left out; gas used, fee payer and expiration come after the accumulated data although they stand in front of them
 * (sheet 02 section 4.11).
 */
export function kernelOutputFields(data: Uint8Array): Uint8Array {
  const { at, width } = layoutOf(data);
  const words = new Uint8Array((at.length - 1) * 32);
  let end = 0;
  const take = (from: number, to: number) => {
    for (let i = 1; i < at.length; i++) {
      if (at[i] < from || at[i] >= to) continue;
      end += 32;
      words.set(data.subarray(at[i], at[i] + width[i]), end - width[i]);
    }
  };
  take(0, TX_DATA_AT.gasUsed);
  take(TX_DATA_AT.accumulated, data.length);
  take(TX_DATA_AT.gasUsed, TX_DATA_AT.accumulated);
  return words;
}

/** Hash of a tx from its `data` (sheet 02 section 4.11). */
export function txHash(core: Core, data: Uint8Array): Fr {
  const isPrivate = data[TX_DATA_AT.forPublic] === 0;
  return core.hashWithSeparator(
    isPrivate ? SEPARATOR.PRIVATE_TX_HASH : SEPARATOR.PUBLIC_TX_HASH,
    kernelOutputFields(data),
  );
}
