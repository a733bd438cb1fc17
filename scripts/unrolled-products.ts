/**
 * Writes assembly/unrolled: the products of the core with every column written out, since loops and arrays of limbs
 * cost
 * the compiler its registers. `build:wasm` runs it; the files are not kept.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as digits from "./unrolled/digit-lanes.ts";
import * as integers from "./unrolled/integer-lanes.ts";
import * as scalar from "./unrolled/scalar-limbs.ts";

const folder = join(import.meta.dirname, "../assembly/unrolled");
const moduli = (n: number, first: number): string =>
  Array.from({ length: n - first }, (_, i) => `P${first + i}`).join(", ");

const files: Record<string, string[]> = {
  "field.ts": [
    `import { LIMB_BITS, MASK, ${moduli(9, 1)} } from "../field/modulus";`,
    'import { carry, quotient } from "../field/montgomery-step";\n',
    ...[scalar.productWithAddend, scalar.squareProduct].map((form) =>
      form(9, { quotient: (c) => `quotient(${c})`, carry: (c, q) => `carry(${c}, ${q})` }),
    ),
  ],
  "kzg.ts": [
    `import { LIMB_BITS, MASK, ${moduli(14, 0)}, QUOTIENT } from "../kzg/modulus";\n`,
    scalar.product(14, {
      quotient: (c) => `(${c} * QUOTIENT) & MASK`,
      carry: (c, q) => `(${c} + ${q} * P0) >> LIMB_BITS`,
    }),
  ],
  "integer-products.ts": [
    'import { add, packed, times } from "../lanes/integers/arithmetic";',
    'import { COLUMNS } from "../lanes/integers/montgomery-step";\n',
    integers.product(),
    integers.squareProduct(),
  ],
  "integer-reduction.ts": [
    `import { LIMB_BITS, MASK, ${moduli(9, 1)} } from "../field/modulus";`,
    'import { add, packed, times } from "../lanes/integers/arithmetic";',
    'import { carry, COLUMNS, quotient } from "../lanes/integers/montgomery-step";\n',
    integers.reduction(),
  ],
  "products.ts": [
    'import { add, bothOnes, high, highOfTwo, highOnes, low, lowOfTwo } from "../lanes/arithmetic";',
    'import { COLUMNS } from "../lanes/fold";\n',
    digits.product(),
    digits.squareProduct(),
  ],
  "folds.ts": [
    "import { add, bothOnes, carried, digit, digitMask, digitOnes, high, highOfTwo, highOnes, low, LOW_BITS, lowOfTwo,",
    '  unitBits } from "../lanes/arithmetic";',
    'import { COLUMNS, finish, FOLD, LAST_START, takeLowest } from "../lanes/fold";\n',
    digits.foldFour(),
    digits.foldFive(),
  ],
  "sum-of-three.ts": [
    'import { add, bothOnes, highOnes } from "../lanes/arithmetic";',
    'import { differenceProducts, digitProducts, highs, SQUARES } from "../lanes/history-products";\n',
    digits.sumOfThree(),
  ],
};

function current(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

mkdirSync(folder, { recursive: true });
for (const [name, parts] of Object.entries(files)) {
  const text = `// Made by scripts/unrolled-products.ts.\n${parts.join("\n")}`;
  const file = join(folder, name);
  if (current(file) === text) continue;
  // Builds of several modules write the same files beside each other.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
