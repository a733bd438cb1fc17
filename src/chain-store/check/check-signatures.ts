import { concat, readUint } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import { DUTY_KINDS } from "../../validator/signing/duty.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";

const ROLLUP_BYTES = 20;
const SLOT_BYTES = 6;
const DUTY_KEY_BYTES = 51;
const HASH_BYTES = 32;

/**
 * Checks the record of signatures (docs/store-format.md#store-of-signatures): keys and values have their forms, and no
 * duty is at or below its rollup's floor. What was signed cannot be checked: nothing else holds it.
 */
export function checkSignatures(store: Store, report: CheckReport): void {
  report.stage("signatures", 0);
  const floors = store.table("signed_floors");
  checkPart(report, "signed_duties", () => {
    for (const { key, value } of store.table("signed_duties").range({})) {
      checkRow(report, "signed_duties", key, () => {
        if (key.length !== DUTY_KEY_BYTES) return `its key must have ${DUTY_KEY_BYTES} bytes`;
        if (value.length !== HASH_BYTES) return `must be a hash of ${HASH_BYTES} bytes`;
        if (key[46] >= DUTY_KINDS.length) return `names the unknown kind of duty ${key[46]}`;
        const floor = floors.get(concat(key.subarray(0, ROLLUP_BYTES)));
        const slot = readUint(key, ROLLUP_BYTES, SLOT_BYTES);
        return floor !== undefined && floor.length === SLOT_BYTES && slot <= readUint(floor, 0, SLOT_BYTES)
          ? "is at or below its rollup's floor"
          : undefined;
      });
      report.step();
    }
  });
  checkPart(report, "signed_floors", () => {
    for (const { key, value } of floors.range({})) {
      checkRow(report, "signed_floors", key, () =>
        key.length === ROLLUP_BYTES && value.length === SLOT_BYTES ? undefined : "is no slot of a rollup",
      );
    }
  });
}
