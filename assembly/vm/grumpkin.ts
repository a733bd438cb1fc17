import { copyCell, putSmall, U1 } from "./cell";
import { requireField, requireKind, requireRange } from "./checks";
import { NOT_ON_CURVE, OK } from "./faults";
import { addFields, divideFields, isZeroCell, multiplyFields, subtractFields } from "./field-cells";
import { pointCells } from "./instruction-set";
import { readable, writable } from "./pages";

const X1 = memory.data(32, 32);
const Y1 = memory.data(32, 32);
const X2 = memory.data(32, 32);
const Y2 = memory.data(32, 32);
const RESULT_X = memory.data(32, 32);
const RESULT_Y = memory.data(32, 32);
const TOP = memory.data(32, 32);
const BOTTOM = memory.data(32, 32);
const SLOPE = memory.data(32, 32);
/** 17, so that y^2 + 17 = x^3. */
const SEVENTEEN = memory.data<u64>([17, 0, 0, 0]);

function isEqual(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) == 0
  );
}

/** y^2 = x^3 - 17. */
function isOnCurve(x: usize, y: usize): bool {
  multiplyFields(TOP, x, x);
  multiplyFields(TOP, TOP, x);
  multiplyFields(BOTTOM, y, y);
  addFields(BOTTOM, BOTTOM, SEVENTEEN);
  return isEqual(TOP, BOTTOM);
}

/** RESULT = P1 + P2, where TOP / BOTTOM is the slope of the chord or tangent. BOTTOM is not zero. */
function addAlong(): void {
  divideFields(SLOPE, TOP, BOTTOM);
  multiplyFields(RESULT_X, SLOPE, SLOPE);
  subtractFields(RESULT_X, RESULT_X, X1);
  subtractFields(RESULT_X, RESULT_X, X2);
  subtractFields(TOP, X1, RESULT_X);
  multiplyFields(RESULT_Y, SLOPE, TOP);
  subtractFields(RESULT_Y, RESULT_Y, Y1);
}

/** P1 + P2 of finite points on the curve into RESULT; false when the sum is the identity. */
function addFinite(): bool {
  if (!isEqual(X1, X2)) {
    subtractFields(TOP, Y2, Y1);
    subtractFields(BOTTOM, X2, X1);
  } else {
    // The order of the group is odd, so no point has y = 0.
    if (!isEqual(Y1, Y2)) return false;
    multiplyFields(TOP, X1, X1);
    addFields(BOTTOM, TOP, TOP);
    addFields(TOP, BOTTOM, TOP);
    addFields(BOTTOM, Y1, Y1);
  }
  addAlong();
  return true;
}

function isZeroPoint(x: usize, y: usize): bool {
  return isZeroCell(x) && isZeroCell(y);
}

/**
 * ECADD: cells of the first point, cells of the second, destination
 * (docs/protocol/06-public-execution.md#618-hashes-and-points).
 */
export function addPoints(operands: usize): u32 {
  const cells = pointCells;
  const isFlagged = cells == 3;
  let fault: u32 = OK;
  for (let i: u32 = 0; i < 2 * cells; i++) {
    const cell = readable(load<u32>(operands + (<usize>i << 2)));
    fault = i % cells == 2 ? requireKind(i, cell, U1) : requireField(i, cell);
    if (fault != OK) return fault;
  }
  const second = operands + (<usize>cells << 2);
  const out = load<u32>(second + (<usize>cells << 2));
  fault = requireRange(out, cells);
  if (fault != OK) return fault;
  copyCell(X1, readable(load<u32>(operands)));
  copyCell(Y1, readable(load<u32>(operands, 4)));
  copyCell(X2, readable(load<u32>(second)));
  copyCell(Y2, readable(load<u32>(second, 4)));
  const infinite1 = isFlagged ? load<u8>(readable(load<u32>(operands, 8))) != 0 : isZeroPoint(X1, Y1);
  const infinite2 = isFlagged ? load<u8>(readable(load<u32>(second, 8))) != 0 : isZeroPoint(X2, Y2);
  if (!infinite1 && !isOnCurve(X1, Y1)) return NOT_ON_CURVE;
  if (!infinite2 && !isOnCurve(X2, Y2)) return NOT_ON_CURVE;

  let finite = true;
  if (infinite1 && infinite2) {
    finite = false;
  } else if (infinite1 || infinite2) {
    copyCell(RESULT_X, infinite1 ? X2 : X1);
    copyCell(RESULT_Y, infinite1 ? Y2 : Y1);
  } else {
    finite = addFinite();
  }
  if (!finite) {
    memory.fill(RESULT_X, 0, 32);
    memory.fill(RESULT_Y, 0, 32);
  }
  copyCell(writable(out), RESULT_X);
  copyCell(writable(out + 1), RESULT_Y);
  if (isFlagged) putSmall(writable(out + 2), finite ? 0 : 1, U1);
  return OK;
}
