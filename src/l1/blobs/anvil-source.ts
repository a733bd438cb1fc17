import { toHex } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { L1Error } from "../errors.ts";
import { bytes } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { versionedHashOf } from "./blob-offer.ts";
import { BlobSourceError } from "./errors.ts";
import type { Kzg } from "./kzg.ts";
import type { BlobAnswer, BlobRequest, BlobSource } from "./source.ts";

/** Chains that are only ever development chains. */
export const DEVELOPMENT_CHAIN_IDS: readonly number[] = [31337, 677692];

/** The blobs that an anvil L1 keeps of transactions sent to it, over its own RPC; it forgets them when it is restarted. */
export class AnvilSource implements BlobSource {
  readonly name: string;
  readonly #rpc: L1Rpc;
  readonly #kzg: Pick<Kzg, "commitment">;

  constructor(rpc: L1Rpc, kzg: Pick<Kzg, "commitment">) {
    this.name = `anvil at ${rpc.urls[0]}`;
    this.#rpc = rpc;
    this.#kzg = kzg;
  }

  async ask({ wanted }: BlobRequest): Promise<BlobAnswer> {
    const answer: BlobAnswer = { offers: [], refusals: [] };
    for (const versionedHash of wanted) {
      const data = await this.#get(versionedHash);
      if (!data) {
        answer.refusals.push({ versionedHash, reason: "not there" });
        continue;
      }
      // anvil gives the data alone; the versioned hash of its commitment has to be the wanted one.
      const commitment = await this.#kzg.commitment(data);
      const hash = versionedHashOf(commitment);
      if (toHex(hash) === toHex(versionedHash)) answer.offers.push({ versionedHash, data, commitment });
      else answer.refusals.push({ versionedHash, reason: `its data hashes to ${toHex(hash)}` });
    }
    return answer;
  }

  async #get(versionedHash: Uint8Array): Promise<Uint8Array | undefined> {
    const parse = (value: unknown) => (value === null ? undefined : bytes(value, "blob", BYTES_PER_BLOB));
    try {
      return await this.#rpc.request({ method: "anvil_getBlobByHash", params: [toHex(versionedHash)], parse });
    } catch (cause) {
      if (!(cause instanceof L1Error)) throw cause;
      throw new BlobSourceError(this.name, cause.rule, { cause });
    }
  }

  async checkReachable(): Promise<void> {
    await this.#get(new Uint8Array(32));
  }
}
