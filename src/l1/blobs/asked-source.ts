import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { isServerOutage } from "../../http/errors.ts";
import { BlobSourceError } from "./errors.ts";
import type { BlobSource } from "./source.ts";

/** A source with its health. */
export interface AskedSource {
  readonly source: BlobSource;
  readonly health: EndpointHealth;
}

/** A source whose URL is `url`. A source that answers a probe is well even if it has no blobs for this network. */
export function askedSource(source: BlobSource, url: string, book: EndpointBook): AskedSource {
  const probe = async (signal: AbortSignal): Promise<void> => {
    try {
      await source.checkReachable(signal);
    } catch (error) {
      if (!(error instanceof BlobSourceError) || isServerOutage(error)) throw error;
    }
  };
  return { source, health: book.of("blobs", url, probe) };
}
