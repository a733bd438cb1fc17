/**
 * The part of the WebAssembly JavaScript API that the core uses. TypeScript declares it only with the browser
 * libraries, which a program for Node.js does not include.
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KiB, detaches `buffer` and returns the former number of pages. */
    grow(pages: number): number;
  }
}
