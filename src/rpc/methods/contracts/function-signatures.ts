import type { Core } from "../../../core/core.ts";
import { selector } from "../../../core/derive/selector.ts";
import { readU32 } from "../../../protocol/bytes.ts";
import { SLICE_MS, Turns } from "../../limits/turns.ts";
import type { FunctionSignatureRegister, NamedSelector } from "../../ports/function-signatures.ts";

/** Any client may register names, so their number and length are bounded; the oldest are evicted. */
const MAX_NAMES = 1000;
const MAX_NAME_LENGTH = 256;
/** Longest signature that is hashed, in characters: a thousand take about 0.3 ms. */
const MAX_HASHED_LENGTH = 1000;

/** Computes the selectors of signatures in several turns of the event loop: those of one call can take up to 30 ms. */
export class SelectorHashing {
  readonly #core: Core;
  readonly #turns = new Turns();

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * The name is the text before the parameters. Omits signatures that are too long, have no name or contain white
   * space.
   */
  async named(signatures: readonly string[]): Promise<NamedSelector[]> {
    const named: NamedSelector[] = [];
    let end = performance.now() + SLICE_MS;
    for (const signature of signatures) {
      const [name] = signature.split("(", 1);
      if (name === "" || signature.length > MAX_HASHED_LENGTH || /\s/.test(signature)) continue;
      if (performance.now() > end) {
        await this.#turns.wait();
        end = performance.now() + SLICE_MS;
      }
      named.push({ selector: selector(this.#core, signature), name: name.slice(0, MAX_NAME_LENGTH) });
    }
    return named;
  }
}

/** In-memory names of functions that clients registered. */
export class FunctionSignatures implements FunctionSignatureRegister {
  readonly #names = new Map<number, string>();

  register(functions: readonly NamedSelector[]): void {
    for (const { selector, name } of functions) {
      // Set again to move it to the end: frequently registered names are evicted last.
      this.#names.delete(selector);
      this.#names.set(selector, name);
      if (this.#names.size > MAX_NAMES) this.#names.delete(this.#names.keys().next().value!);
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
