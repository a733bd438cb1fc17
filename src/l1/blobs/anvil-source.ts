import { equal, toHex } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { L1Error } from "../errors.ts";
import { bytes } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { type BeaconHost, readSidecars } from "./beacon-source.ts";
import { versionedHashOf } from "./blob-offer.ts";
import { BlobSourceError } from "./errors.ts";
import type { Kzg } from "./kzg.ts";
import { pickWanted } from "./sidecars.ts";
import type { BlobAnswer, BlobRequest, BlobSource } from "./source.ts";

/** Chains that are only ever development chains. */
export const DEVELOPMENT_CHAIN_IDS: readonly number[] = [31337, 677692];

/**
 * Blobs kept by an anvil L1, read from its own port (docs/protocol/04-l1-contracts.md#411-fetching-blobs): sidecars by
 * execution block if it has that endpoint, otherwise each blob by its hash over RPC.
 */
export class AnvilSource implements BlobSource {
  readonly name: string;
  readonly #http: BeaconHost;
  readonly #rpc: L1Rpc;
  readonly #kzg: Pick<Kzg, "commitment">;

  /** @param http and `rpc` are of the same URL. */
  constructor(http: BeaconHost, rpc: L1Rpc, kzg: Pick<Kzg, "commitment">) {
    this.name = `anvil at ${http.name}`;
    this.#http = http;
    this.#rpc = rpc;
    this.#kzg = kzg;
  }

  async ask({ l1Block, wanted, signal }: BlobRequest): Promise<BlobAnswer> {
    const sidecars = await readSidecars(this.#http, l1Block.number, signal).catch((error: unknown) => {
      if (error instanceof BlobSourceError) return undefined;
      throw error;
    });
    if (sidecars?.length) return pickWanted(this.name, sidecars, wanted);
    const answer: BlobAnswer = { offers: [], refusals: [] };
    for (const versionedHash of wanted) {
      const data = await this.#byHash(versionedHash);
      // The call returns only the data, so the commitment is computed and its versioned hash is checked.
      const commitment = data && (await this.#kzg.commitment(data));
      if (data && commitment && equal(versionedHashOf(commitment), versionedHash)) {
        answer.offers.push({ versionedHash, data, commitment });
      } else {
        answer.refusals.push({ versionedHash, reason: data ? "its data is another blob's" : "not there" });
      }
    }
    return answer;
  }

  async #byHash(versionedHash: Uint8Array): Promise<Uint8Array | undefined> {
    const parse = (value: unknown) => (value === null ? undefined : bytes(value, "blob", BYTES_PER_BLOB));
    try {
      return await this.#rpc.request({ method: "anvil_getBlobByHash", params: [toHex(versionedHash)], parse });
    } catch (cause) {
      if (!(cause instanceof L1Error)) throw cause;
      throw new BlobSourceError(this.name, cause.rule, { cause });
    }
  }

  async checkReachable(): Promise<void> {
    await this.#byHash(new Uint8Array(32));
  }
}
