import type { TileNode } from "../core/tile-job.ts";
import { parentOf } from "./tables/tile-address.ts";

/** A node that one block sets, and the tile that has it as a bottom node. */
export interface LevelNode extends TileNode {
  tile: number;
  /** For a node that is not hashed yet: its index among the roots of the level below. */
  root: number;
}

/** The nodes that blocks set in one tile, by block and bottom node. */
export interface TileNodes {
  index: number;
  nodes: LevelNode[];
}

/** A node by its index on its level. */
export function levelNode(
  index: number,
  block: number,
  { source, at = 0, isPreimage = false, root = 0 }: Partial<Pick<LevelNode, "source" | "at" | "isPreimage" | "root">>,
): LevelNode {
  const { tile, bottom } = parentOf(index);
  return { tile, bottom, block, source, at, isPreimage, root };
}

/** Calls `visit` for each version of a tile, one for each block that sets nodes of it, in order. */
export function forEachVersion({ index, nodes }: TileNodes, visit: (index: number, block: number) => void): void {
  let last = -1;
  for (const { block } of nodes) {
    if (block !== last) visit(index, block);
    last = block;
  }
}

/** Groups the nodes of one level by tile, ascending. Sorts `nodes` in place. */
export function byTile(nodes: LevelNode[]): TileNodes[] {
  nodes.sort((a, b) => a.tile - b.tile || a.block - b.block || a.bottom - b.bottom);
  const tiles: TileNodes[] = [];
  let last: TileNodes | undefined;
  for (const node of nodes) {
    if (last?.index !== node.tile) {
      last = { index: node.tile, nodes: [] };
      tiles.push(last);
    }
    last.nodes.push(node);
  }
  return tiles;
}
