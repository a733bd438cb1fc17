import type { CollectedTx } from "../../checkpoints/proposals/proposal-txs.ts";
import { MAX_TX_BYTES } from "../../mempool/validation/checks/size.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { TransactionRules } from "../../protocol/generations/transactions.ts";
import { txFromBytes } from "../../protocol/tx/tx-bytes.ts";
import { unpacked } from "../../storage/objects/gunzip.ts";
import type { ObjectReader } from "../../storage/objects/object-store.ts";
import { DistributionCounter } from "../../telemetry/metrics/distribution.ts";

/** Upper bounds of the milliseconds that a transfer takes. */
export const TRANSFER_MS = [10, 20, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;
/** Upper bounds of the bytes of txs. */
export const TX_BYTES = [8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576] as const;

/** The network whose transactions a file store holds. */
export interface TxStoreNetwork {
  l1ChainId: number;
  rollupVersion: number;
  /** 0x text. */
  rollupAddress: string;
}

/** `aztec-{l1ChainId}-{rollupVersion}-{rollup address}/txs/{tx hash}.bin`. */
export function txKey({ l1ChainId, rollupVersion, rollupAddress }: TxStoreNetwork, hash: Uint8Array): string {
  return `aztec-${l1ChainId}-${rollupVersion}-${rollupAddress.toLowerCase()}/txs/${toHex(hash)}.bin`;
}

/** Hash that no transaction has. */
const NO_HASH = new Uint8Array(32);

/** Transactions in a file store (docs/protocol/10-peers.md#1015-collecting-transactions). */
export class FileTxSource {
  readonly name: string;
  readonly #objects: ObjectReader;
  readonly #network: TxStoreNetwork;
  readonly #proofFields: number;
  /** Of txs since the start. */
  readonly counts = { success: 0, failed: 0 };
  readonly durations = new DistributionCounter(TRANSFER_MS);
  readonly sizes = new DistributionCounter(TX_BYTES);

  constructor(objects: ObjectReader, network: TxStoreNetwork, { proofFields }: Pick<TransactionRules, "proofFields">) {
    this.#proofFields = proofFields;
    this.name = objects.name;
    this.#objects = objects;
    this.#network = network;
  }

  /** Rejects if the store does not answer whether it has an object. */
  async checkReachable(signal: AbortSignal): Promise<void> {
    await this.#objects.get(txKey(this.#network, NO_HASH), { signal, maxBytes: MAX_TX_BYTES });
  }

  /**
   * The tx, which claims to have this hash; undefined if it is absent. Rejects with an ObjectStoreError, an error of
   * zlib or a DecodeError.
   */
  async tx(hash: Uint8Array, signal?: AbortSignal): Promise<CollectedTx | undefined> {
    const began = performance.now();
    try {
      const found = await this.#tx(hash, signal);
      if (found === undefined) this.counts.failed++;
      else {
        this.counts.success++;
        this.durations.record(performance.now() - began);
        this.sizes.record(found.encoded.length);
      }
      return found;
    } catch (error) {
      this.counts.failed++;
      throw error;
    }
  }

  async #tx(
    hash: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<(CollectedTx & { encoded: Uint8Array }) | undefined> {
    const file = await this.#objects.get(txKey(this.#network, hash), { signal, maxBytes: MAX_TX_BYTES });
    if (file === undefined) return undefined;
    const bytes = unpacked(file, MAX_TX_BYTES);
    const { hash: claimed, tx, next } = txFromBytes(bytes, 0, this.#proofFields);
    if (equal(claimed, hash)) return { hash, tx, encoded: bytes.subarray(0, next) };
    throw new DecodeError("stored tx", `must have the hash ${toHex(hash)}, got ${toHex(claimed)}`);
  }
}
