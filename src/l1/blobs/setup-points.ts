import { readFileSync } from "node:fs";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { CoreNotBuiltError } from "../../core/load-core.ts";
import { bigUintBytes, readBigUint } from "../../protocol/bytes.ts";
import { FIELDS_PER_BLOB } from "../../protocol/constants.ts";

const { Point } = bls12_381.G1;
const { Fp } = bls12_381.fields;
export type G1Point = InstanceType<typeof Point>;

/** x and y. */
const COORDINATES_BYTES = 96;

/** A word of a blob, or what is added to one: `factor` times the point of the setup that belongs to word `index`. */
export interface Term {
  index: number;
  /** Below the scalar modulus. */
  factor: bigint;
}

/** The exports of assembly/kzg. */
interface KzgModule {
  memory: WebAssembly.Memory;
  initialize(): void;
  coordinatesAt(): number;
  indexesAt(): number;
  scalarsAt(): number;
  maxTerms(): number;
  setPoint(index: number): number;
  sum(count: number): number;
}

/** This file is in src/l1/blobs/ of the package as source and in build/src/l1/blobs/ when compiled. */
function wasmUrl(): URL {
  const fromPackageRoot = import.meta.url.endsWith(".ts") ? "../../../build/wasm/kzg.wasm" : "../../../wasm/kzg.wasm";
  return new URL(fromPackageRoot, import.meta.url);
}

function instantiate(): KzgModule {
  const url = wasmUrl();
  let bytes: Buffer;
  try {
    bytes = readFileSync(url);
  } catch (error) {
    throw new CoreNotBuiltError(url.pathname, { cause: error });
  }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)));
  const module = exports as unknown as KzgModule;
  module.initialize();
  return module;
}

/** One level deeper when compiled. data/README.md says what it holds. */
function setupUrl(): URL {
  const fromPackageRoot = import.meta.url.endsWith(".ts") ? "../../../" : "../../../../";
  return new URL(`${fromPackageRoot}data/kzg-points.bin`, import.meta.url);
}

/**
 * The trusted setup's points in Lagrange form. A commitment is the sum of word * point over the words of a blob. Sums
 * of few terms take WebAssembly much less time than the library takes for a whole commitment.
 */
export class SetupPoints {
  /** Most terms of a sum. */
  readonly max: number;
  readonly #module: KzgModule;

  /** Throws CoreNotBuiltError when the compiled WebAssembly is missing. */
  constructor() {
    this.#module = instantiate();
    this.max = this.#module.maxTerms();
    const setup = readFileSync(setupUrl());
    for (let index = 0; index < FIELDS_PER_BLOB; index++) {
      const coordinates = setup.subarray(index * COORDINATES_BYTES, (index + 1) * COORDINATES_BYTES);
      new Uint8Array(this.#module.memory.buffer).set(coordinates, this.#module.coordinatesAt());
      if (this.#module.setPoint(index) === 0)
        throw new Error(`point ${index} of the trusted setup is not on the curve`);
    }
  }

  /** Throws a RangeError for more than `most` terms. */
  sum(terms: readonly Term[]): G1Point {
    if (terms.length > this.max) throw new RangeError(`${terms.length} terms, at most ${this.max}`);
    const { memory } = this.#module;
    const bytes = new Uint8Array(memory.buffer);
    const indexes = new Uint32Array(memory.buffer, this.#module.indexesAt(), terms.length);
    const scalarsAt = this.#module.scalarsAt();
    for (const [i, { index, factor }] of terms.entries()) {
      indexes[i] = index;
      bytes.set(bigUintBytes(factor, 32), scalarsAt + i * 32);
    }
    const at = this.#module.sum(terms.length);
    const [x, y, zz, zzz] = [0, 1, 2, 3].map((i) => readBigUint(bytes, at + i * 48, 48));
    if (zz === 0n) return Point.ZERO;
    return Point.fromAffine({ x: Fp.div(x, zz), y: Fp.div(y, zzz) });
  }
}
