import { reduced } from "../../unrolled/integer-reduction";

/** COLUMNS / R. */
export function reduceColumns(out: usize): void {
  reduced(out, 0, false);
}

/** COLUMNS / R + addend. */
export function reduceColumnsOnto(out: usize, addend: usize): void {
  reduced(out, addend, true);
}
