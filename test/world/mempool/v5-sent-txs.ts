import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import type { PoolChainView } from "../../../src/mempool/pool/pool-chain-view.ts";
import { storedChainView } from "../../../src/mempool/pool/stored-chain-view.ts";
import { CheckContexts } from "../../../src/mempool/validation/check-contexts.ts";
import { CommittedStates } from "../../../src/mempool/validation/committed-state.ts";
import { HEADER_AT, headerTimestamp } from "../../../src/protocol/block-header.ts";
import { fromHex, readBigUint } from "../../../src/protocol/bytes.ts";
import { type GasFees, manaFees } from "../../../src/protocol/fees/gas-fees.ts";
import type { AllowedSetupCall } from "../../../src/protocol/generations/transactions.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import type { Issue } from "../../../src/rpc/codecs/json/codec.ts";
import { developmentTx } from "../../../src/rpc/codecs/shared/tx.ts";
import { core, type SyncedChain } from "../snapshots/synced-chain.ts";

/** The parameter of sendTx as a wallet gave it. */
export interface SentTx {
  json: { txHash: string } & Record<string, unknown>;
  tx: Tx;
}

const parameter = developmentTx(V5.transactions);

/** Throws the first fault of form. */
export function readTx(json: unknown): Tx {
  const issues: Issue[] = [];
  const tx = parameter.read(json, [], issues);
  if (issues.length > 0) throw new Error(`${issues[0].path.join(".")}: ${issues[0].text}`);
  return tx;
}

/** Transactions in the lines of a text, each the parameter of a sendTx. */
export function sentTxs(lines: string): SentTx[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map((json) => ({ json, tx: readTx(json) }));
}

/** Of each kind that the recorded v5 chain has; half of them without their proofs (test/fixtures/README.md). */
export function sampleTxs(): SentTx[] {
  const file = readFileSync(new URL("../../fixtures/v5/sent-txs.jsonl.br", import.meta.url));
  return sentTxs(brotliDecompressSync(file).toString("utf8"));
}

const TOKEN = fromHex("0x00af4a34253215ba04047bcf584e478765944bde1785fa86a3981b79c435c475");

/** What the recorded node allowed besides: calls of the token that its fee payment contract charges in. */
export const TOKEN_SETUP_CALLS: readonly AllowedSetupCall[] = ["0x8c9e5472", "0xe7f045ff"].map((selector) => ({
  address: TOKEN,
  selector: fromHex(selector),
}));

/** What a node knew while a block was the next one. */
export interface Before {
  block: number;
  contexts: CheckContexts;
  view: PoolChainView;
  states: CommittedStates;
  fees: GasFees;
}

/** The state before a block counts as the latest one. */
class StatesBefore extends CommittedStates {
  readonly #block: number;

  constructor(world: ConstructorParameters<typeof CommittedStates>[1], block: number) {
    super(core, world, V5.contracts);
    this.#block = block;
  }

  override latest() {
    return this.after(this.#block - 1)!;
  }
}

/** The node of a synced v5 chain as it was when it had all blocks before `block`, at the fees of that block. */
export function before(
  { services, reader }: SyncedChain,
  block: number,
  setupAllowList: readonly AllowedSetupCall[] = TOKEN_SETUP_CALLS,
): Before {
  const { chain, store, world } = services;
  const { header } = chain.block(block)!;
  const fees = manaFees(readBigUint(header, HEADER_AT.feePerL2Gas, 16));
  const content = new ContentStore({ store, chain });
  const states = new StatesBefore(world, block);
  const now = () => Number(headerTimestamp(header)) - reader.identity.constants.ethereumSlotDuration;
  const contexts = new CheckContexts(
    {
      chain: { latestBlockNumber: () => block - 1, block: (number) => chain.block(number) },
      content,
      states,
      identity: reader.identity,
      generation: V5,
      fees: { currentMinFees: async () => fees },
      now,
    },
    { permitted: true, setupAllowList, validatorGasLimits: {} },
  );
  const stored = storedChainView({ content, contexts, states, knownMinFees: () => fees, now: () => now() * 1000 });
  return { block, contexts, states, fees, view: { ...stored, minedIn: () => undefined } };
}

/** The block that has a transaction of the chain. Throws if none has it. */
export function blockOf({ services: { store, chain } }: SyncedChain, { json }: SentTx): number {
  const settled = new ContentStore({ store, chain }).settledTx(fromHex(json.txHash));
  if (settled === undefined) throw new Error(`no block has ${json.txHash}`);
  return settled.blockNumber;
}
