import { TILE_HEIGHT } from "./tables/tile-address.ts";
import type { TileNodes } from "./tile-nodes.ts";

/** Nodes of a job: enough to make its way cheap, few enough to spread evenly over the threads. */
const NODES_PER_JOB = { least: 32, most: 512 };
const JOBS_PER_LEVEL = 8;

/**
 * Cuts tiles of a level into parts of about even size, one for each job. Parts have no tile in common on the levels
 * below `through`, which is the highest level up to `end` that allows for enough parts.
 */
export function cutSubtrees(tiles: TileNodes[], level: number, end: number): { parts: TileNodes[][]; through: number } {
  const count = tiles.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const { least, most } = NODES_PER_JOB;
  const size = Math.min(most, Math.max(least, Math.ceil(count / JOBS_PER_LEVEL)));
  for (let through = end; ; through--) {
    const parts = cutAt(tiles, size, 2 ** ((through - 1 - level) * TILE_HEIGHT));
    if (through === level + 1 || parts.every((part) => part.nodes <= 2 * size)) {
      return { parts: parts.map((part) => part.tiles), through };
    }
  }
}

/**
 * Parts of at least `size` nodes, except the last; each run of `span` tiles, which have an ancestor in common, stays
 * whole.
 */
function cutAt(tiles: TileNodes[], size: number, span: number): { nodes: number; tiles: TileNodes[] }[] {
  const parts: { nodes: number; tiles: TileNodes[] }[] = [];
  let part = { nodes: size, tiles: [] as TileNodes[] };
  let subtree = -1;
  for (const tile of tiles) {
    const own = Math.floor(tile.index / span);
    if (own !== subtree && part.nodes >= size) {
      part = { nodes: 0, tiles: [] };
      parts.push(part);
    }
    subtree = own;
    part.nodes += tile.nodes.length;
    part.tiles.push(tile);
  }
  return parts;
}
