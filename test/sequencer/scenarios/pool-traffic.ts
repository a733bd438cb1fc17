import type { Core } from "../../../src/core/core.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { BlockHeader } from "../../../src/protocol/block-header.ts";
import { isForPublic } from "../../../src/protocol/tx/accumulated-data.ts";
import { withTerms } from "../../../src/protocol/tx/template.ts";
import { type FreshTxPlan, freshTx, txJson } from "../../world/mempool/fresh-txs.ts";
import { type RecordedTx, recordedTxs } from "../../world/protocol/recorded-txs.ts";
import type { ProposingNode } from "../../world/sequencer/proposing-node.ts";

/** Creates any number of valid txs of the recorded network, anchored to a block of the chain. */
export class Traffic {
  readonly core: Core = loadCore();
  readonly #privateTx: RecordedTx;
  #made = 0;

  constructor() {
    const found = recordedTxs().find(({ tx, response }) => response.error === undefined && !isForPublic(tx.data));
    if (found === undefined) throw new Error("the recorded chain has no private tx");
    this.#privateTx = found;
  }

  /** The default anchor is that of the recorded tx, an early block. */
  make(anchor?: BlockHeader, plan: Partial<FreshTxPlan> = {}): { hash: string; json: Record<string, unknown> } {
    this.#made++;
    const tx = freshTx(this.#privateTx, { nullifier: `sequencer ${this.#made} ${Math.random()}`, ...plan });
    return txJson(this.core, withTerms(tx, anchor === undefined ? {} : { anchor }));
  }

  /** Sends a tx to a node, anchored to its latest checkpointed block. */
  async send(node: ProposingNode, plan: Partial<FreshTxPlan> = {}): Promise<string> {
    const { chain } = node.parts;
    const { hash, json } = this.make(chain.block(chain.checkpointedBlockNumber())!.header, plan);
    await node.rpc("node_sendTx", [json]);
    return hash;
  }
}
