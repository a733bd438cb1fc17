import type { ChainStore } from "../../archiver/chain-store.ts";
import type { Core } from "../../core/core.ts";
import { headerSnapshot } from "../../protocol/block-header.ts";
import { equal } from "../../protocol/bytes.ts";
import { ARCHIVE, TREE_IDS } from "../../protocol/constants.ts";
import type { Store } from "../../storage/store.ts";
import { positionKey } from "../../world-state/tables/row-keys.ts";
import type { WorldStateStatus } from "../../world-state/tables/status-row.ts";
import { parseStatus, readStatusRow, STATUS_BYTES } from "../../world-state/tables/status-row.ts";
import { openTables, WORLD_STATE_TABLES } from "../../world-state/tables/tables.ts";
import type { TreeNodes } from "../../world-state/tables/tree-nodes.ts";
import { LeafChecker } from "./check-leaves.ts";
import { TileChecker } from "./check-tiles.ts";
import { TreeHistoryChecker } from "./check-tree-history.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";
import { StoredTrees } from "./stored-trees.ts";

const T = WORLD_STATE_TABLES;

interface TreesCheck {
  store: Store;
  chain: ChainStore;
  core: Core;
  nodes: TreeNodes;
}

/**
 * Checks the trees, now and in each state that is kept: their roots are those of the block headers, and their rows
 * agree.
 */
export class TreesChecker {
  readonly #chain: ChainStore;
  readonly #report: CheckReport;
  readonly #trees: StoredTrees;
  readonly #status: WorldStateStatus;

  constructor({ store, chain, core, nodes }: TreesCheck, report: CheckReport) {
    this.#chain = chain;
    this.#report = report;
    this.#trees = new StoredTrees(openTables(store), core, nodes);
    const row = new Uint8Array(STATUS_BYTES);
    readStatusRow(this.#trees.tables, row);
    this.#status = parseStatus(row);
  }

  run(): void {
    const report = this.#report;
    const { tip, oldest } = this.#status;
    const { tables } = this.#trees;
    const last = this.#chain.latestBlockNumber();
    if (tip !== last) {
      report.fault({ table: T.meta, key: "status", rule: `its tip is block ${tip}, the chain ends at ${last}` });
    }
    report.stage("states", tip);
    for (let block = 0; block <= tip; block++) {
      this.#state(block);
      report.step();
    }
    let count = 0;
    for (const _ of tables.tiles.scan({})) count++;
    report.stage("tiles", count);
    const tiles = new TileChecker(this.#trees, report);
    checkPart(report, T.tiles, () => {
      for (const { key, value } of tables.tiles.range({})) tiles.checkRow(key, value, tip);
    });
    report.stage("leaves", tiles.occupiedLeaves);
    new LeafChecker(this.#trees, report).check(this.#trees.snapshots(tip));
    new TreeHistoryChecker(this.#trees, report, tiles).check(oldest, tip);
  }

  #state(block: number): void {
    checkRow(this.#report, T.states, block, () => {
      const snapshots = this.#trees.snapshots(block);
      if (snapshots === undefined) return "is missing or has another length";
      const record = block === 0 ? undefined : this.#chain.block(block);
      if (record === undefined) return undefined;
      for (const tree of TREE_IDS) {
        const { root, size } = snapshots[tree];
        if (tree === ARCHIVE) {
          if (!equal(root, record.archiveRoot) || size !== block + 1) return "its archive is not that of the block";
          const leaf = this.#trees.tables.leaves.get(positionKey(ARCHIVE, block));
          if (leaf === undefined || !equal(leaf, record.hash)) return "the archive's leaf is not the block's hash";
        } else {
          const header = headerSnapshot(record.header, tree);
          if (!equal(root, header.root) || size !== header.size) return `its tree ${tree} is not that of the header`;
        }
      }
      return undefined;
    });
  }
}
