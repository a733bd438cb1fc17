import type { Core } from "../../core/core.ts";
import { selector } from "../../core/derive/selector.ts";
import { readU32 } from "../../protocol/bytes.ts";
import { SLICE_MS } from "../jsonrpc/long-calls.ts";
import type { FunctionSignatureRegister, NamedSelector } from "../ports/function-signatures.ts";
import { Turns } from "../turns.ts";

/** Anyone may register names, so their number and length are bounded: the oldest make room. */
const MOST_NAMES = 1000;
const LONGEST_NAME = 256;
/** Longest signature that is hashed, in characters: a thousand take about 0.3 ms. */
const LONGEST_HASHED = 1000;

/** Computes the selectors of signatures, in turns of the event loop, since that takes up to 30 ms for those of one call. */
export class SelectorHashing {
  readonly #core: Core;
  readonly #turns = new Turns();

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * The name is what stands in front of the parameters. Signatures that no function can have, with white space or without a name, and too
   * long ones are left out.
   */
  async named(signatures: readonly string[]): Promise<NamedSelector[]> {
    const named: NamedSelector[] = [];
    let end = performance.now() + SLICE_MS;
    for (const signature of signatures) {
      const [name] = signature.split("(", 1);
      if (name === "" || signature.length > LONGEST_HASHED || /\s/.test(signature)) continue;
      if (performance.now() > end) {
        await this.#turns.wait();
        end = performance.now() + SLICE_MS;
      }
      named.push({ selector: selector(this.#core, signature), name: name.slice(0, LONGEST_NAME) });
    }
    return named;
  }
}

/** Names of functions that clients registered, in memory. */
export class FunctionSignatures implements FunctionSignatureRegister {
  readonly #names = new Map<number, string>();

  register(functions: readonly NamedSelector[]): void {
    for (const { selector, name } of functions) {
      // Set again at the end: what is registered often is not what makes room.
      this.#names.delete(selector);
      this.#names.set(selector, name);
      if (this.#names.size > MOST_NAMES) this.#names.delete(this.#names.keys().next().value!);
    }
  }

  /** @param selector 4 bytes. */
  nameOf(selector: Uint8Array): string | undefined {
    return this.#names.get(readU32(selector, 0));
  }

  get size(): number {
    return this.#names.size;
  }
}
