import { SEPARATOR } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import {
  type KernelLayout,
  layoutOf,
  PRIVATE_LAYOUT,
  PUBLIC_LAYOUT,
  TX_DATA_AT,
} from "../../protocol/tx/kernel-output.ts";
import type { Core, HashInput } from "../core.ts";

/** Copy operations from `data` to the fields: source, destination and length, three numbers each. */
function copiesOf({ at, width, bytes }: KernelLayout): Uint32Array {
  const copies: number[] = [];
  let end = 0;
  const take = (first: number, last: number): void => {
    for (let i = 1; i < at.length; i++) {
      if (at[i] < first || at[i] >= last) continue;
      end += 32;
      const n = copies.length;
      // Adjacent full-width copies become one.
      const joins = width[i] === 32 && copies[n - 3] + copies[n - 1] === at[i];
      if (joins && copies[n - 2] + copies[n - 1] === end - 32) copies[n - 1] += 32;
      else copies.push(at[i], end - width[i], width[i]);
    }
  };
  take(0, TX_DATA_AT.gasUsed);
  take(TX_DATA_AT.accumulated, bytes);
  take(TX_DATA_AT.gasUsed, TX_DATA_AT.accumulated);
  return Uint32Array.from(copies);
}

const COPIES = new Map([PRIVATE_LAYOUT, PUBLIC_LAYOUT].map((layout) => [layout, copiesOf(layout)]));

/**
 * The kernel's output as the circuits see it, n x 32 bytes, from a tx's `data` (38,557 or 82,722 bytes). Every
 * primitive becomes a field and the byte for the form is dropped. Gas used, fee payer and expiration come after the
 * accumulated data, although they precede it in `data` (docs/protocol/07-transactions-and-fees.md#74-hash).
 */
export function kernelOutputFields(data: Uint8Array): Uint8Array {
  const layout = layoutOf(data);
  const copies = COPIES.get(layout) ?? copiesOf(layout);
  const fields = new Uint8Array((layout.at.length - 1) * 32);
  for (let i = 0; i < copies.length; i += 3) {
    fields.set(data.subarray(copies[i], copies[i] + copies[i + 2]), copies[i + 1]);
  }
  return fields;
}

/** Input of txHash, for hashing several at once. */
export function txHashInput(data: Uint8Array): HashInput {
  const isPrivate = data[TX_DATA_AT.forPublic] === 0;
  return {
    separator: isPrivate ? SEPARATOR.PRIVATE_TX_HASH : SEPARATOR.PUBLIC_TX_HASH,
    fields: kernelOutputFields(data),
  };
}

/** Hash of a tx from its `data` (docs/protocol/07-transactions-and-fees.md#74-hash). */
export function txHash(core: Core, data: Uint8Array): Fr {
  return core.hashEach([txHashInput(data)])[0];
}
