import type { Database, RootDatabase } from "lmdb";

/**
 * Reads without an allocation per value: lmdb writes keys and values into one shared buffer each, which the next read
 * overwrites. Views of these buffers are cached by length, since creating a view costs as much as a short copy.
 */

const MAX_KEPT_LENGTH = 2048;

/** Cached views of one buffer. */
class Views {
  #memory: Uint8Array | undefined;
  #byLength: (Uint8Array | undefined)[] = [];
  readonly #offsets = new Float64Array(MAX_KEPT_LENGTH + 1);

  of(memory: Uint8Array, offset: number, length: number): Uint8Array {
    if (memory === this.#memory && length <= MAX_KEPT_LENGTH && this.#offsets[length] === offset) {
      const known = this.#byLength[length];
      if (known !== undefined) return known;
    }
    return this.#make(memory, offset, length);
  }

  #make(memory: Uint8Array, offset: number, length: number): Uint8Array {
    if (memory !== this.#memory) {
      this.#memory = memory;
      this.#byLength = new Array(MAX_KEPT_LENGTH + 1).fill(undefined);
    }
    const view = new Uint8Array(memory.buffer, memory.byteOffset + offset, length);
    if (length <= MAX_KEPT_LENGTH) {
      this.#byLength[length] = view;
      this.#offsets[length] = offset;
    }
    return view;
  }
}

const keys = new Views();
const values = new Views();

/**
 * A view of a value in lmdb's read buffer. lmdb sets the buffer's `length` to the value's, but its memory is longer.
 */
export function borrowedValue(buffer: Uint8Array, length: number): Uint8Array {
  return values.of(buffer, 0, length);
}

/** Opens a table handle for range reads only. Its entries are overwritten by the next read. */
export function openBorrowing(root: RootDatabase<Buffer, Buffer>, name: string): Database<Uint8Array, Uint8Array> {
  const codecs = {
    keyEncoder: {
      writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
        target.set(key, start);
        return start + key.length;
      },
      readKey: (source: Uint8Array, start: number, end: number) => keys.of(source, start, end - start),
    },
    encoder: {
      encode: (value: Buffer) => value,
      decode: (buffer: Buffer, length: number) => borrowedValue(buffer, length),
    },
  };
  // lmdb's types do not declare these two codecs on a table.
  return root.openDB<Uint8Array, Uint8Array>({ name, ...(codecs as object) });
}
