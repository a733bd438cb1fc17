/**
 * Exports of assembly/index.ts. All arguments are addresses and counts; the layouts are documented there, above each
 * function.
 */
export interface CoreExports extends Record<string, unknown> {
  memory: WebAssembly.Memory;
  /** Returns the build in use, by its number in assembly/poseidon2/build.ts. */
  initialize(wantedBuild: number): number;
  scratchStart(): number;
  /** `separator` is negative for none. Returns the address of the rule, 0 if there are too many. */
  nodeRule(separator: number): number;
  zeroHashes(rule: number): number;
  absorbWords(state: number, words: number, count: number): void;
  hashWords(out: number, words: number, count: number): void;
  hashBytes(out: number, bytes: number, length: number, words: number): void;
  hashMany(out: number, words: number, arity: number, count: number, jobs: number): void;
  hashEach(out: number, words: number, counts: number, n: number, jobs: number): void;
  rehashTiles(tiles: number, dirty: number, count: number, height: number, jobs: number, rule: number): void;
  hashTileVersions(
    input: number,
    tileCount: number,
    versionCount: number,
    height: number,
    baseLevel: number,
    arity: number,
    slots: number,
    changed: number,
    jobs: number,
    ends: number,
    roots: number,
    rows: number,
    rule: number,
  ): number;
  siblingPath(out: number, records: number, index: number, height: number, tileHeight: number, zeros: number): void;
  tileCacheBytes(sets: number): number;
  startTileCache(cache: number, sets: number): void;
  openPath(cache: number, state: number, tree: number, position: number, levels: number, zeros: number): number;
  claimTile(cache: number, level: number, keep: boolean): number;
  closePath(cache: number, height: number): number;
  leafEntry(cache: number): number;
  closeText(cache: number, height: number, out: number, template: number, count: number): number;
  linkLeaves(
    n: number,
    keys: number,
    positions: number,
    lows: number,
    lowNextKeys: number,
    lowNextIndexes: number,
    order: number,
    nextKeys: number,
    nextIndexes: number,
    heads: number,
  ): number;
  addWords(out: number, a: number, b: number): void;
  subtractWords(out: number, a: number, b: number): void;
  multiplyWords(out: number, a: number, b: number): void;
  divideWords(out: number, a: number, b: number): void;
}
