import { redactUrl } from "../../http/redact.ts";
import { toHex } from "../../protocol/bytes.ts";
import { BlobSourceConfigurationError, BlobSourceError } from "./errors.ts";
import { HTTP_RETRY_DELAYS_MS } from "./http-retry.ts";
import { at, getJson } from "./json-api.ts";
import { pickWanted } from "./sidecars.ts";
import type { BlobAnswer, BlobRequest, BlobSource } from "./source.ts";

interface ArchiveOptions {
  retryDelaysMs?: readonly number[];
  timeoutMs?: number;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** An archive of blobs with the blobscan API (docs/protocol/04-l1-contracts.md#411-fetching-blobs). */
export class ArchiveSource implements BlobSource {
  readonly name: string;
  readonly #base: string;
  readonly #options: ArchiveOptions;

  /** Throws a BlobSourceConfigurationError unless the URL is https, or http on this machine. */
  constructor(url: string, options: ArchiveOptions = {}) {
    this.name = redactUrl(url);
    const parsed = URL.parse(url);
    if (!parsed || !(parsed.protocol === "https:" || (parsed.protocol === "http:" && LOOPBACK.test(parsed.hostname)))) {
      throw new BlobSourceConfigurationError(this.name, "a blob archive must be an https URL");
    }
    this.#base = url.endsWith("/") ? url : `${url}/`;
    this.#options = options;
  }

  #get(path: string, signal?: AbortSignal): Promise<unknown> {
    const { retryDelaysMs = HTTP_RETRY_DELAYS_MS, timeoutMs = 60_000 } = this.#options;
    return getJson(new URL(path, this.#base).href, { source: this.name, retryDelaysMs, timeoutMs, signal });
  }

  async ask({ l1Block, wanted, signal }: BlobRequest): Promise<BlobAnswer> {
    const found = await this.#get(`blocks/${toHex(l1Block.hash)}?type=canonical&expand=blob%2Cblob_data`, signal);
    if (found === undefined) throw new BlobSourceError(this.name, `does not know L1 block ${l1Block.number}`);
    const transactions = at(found, "transactions");
    if (!Array.isArray(transactions))
      throw new BlobSourceError(this.name, "returned a block without a list of transactions");
    const items = transactions.flatMap((tx) => {
      const blobs = at(tx, "blobs");
      return Array.isArray(blobs) ? blobs : [];
    });
    const pairs = items.map((item) => ({ blob: at(item, "data"), commitment: at(item, "commitment") }));
    return pickWanted(this.name, pairs, wanted);
  }

  async checkReachable(signal?: AbortSignal): Promise<void> {
    const latest = await this.#get("blocks?sort=desc&type=canonical&p=1&ps=1", signal);
    if (at(latest, "blocks", 0, "hash") === undefined) throw new BlobSourceError(this.name, "returned no latest block");
  }
}
