export { initialize, scratchStart } from "./start";
export { absorbWords, hashWords } from "./poseidon2/sponge";
export { hashBytes, hashMany } from "./poseidon2/entry-points";
export { rehashTiles } from "./trees/rehash";
export { siblingPath } from "./trees/sibling-path";
export { claimTile, closePath, openPath, startTileCache, tileCacheBytes } from "./trees/tile-cache";
export { zeroHashes } from "./trees/zero-hashes";
export { linkLeaves } from "./trees/link-leaves";
export { addWords, divideWords, multiplyWords, subtractWords } from "./field/word-arithmetic";
