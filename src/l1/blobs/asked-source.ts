import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { HttpError } from "../../http/errors.ts";
import { BlobSourceError } from "./errors.ts";
import type { BlobSource } from "./source.ts";

/** A source with its health. */
export interface AskedSource {
  readonly source: BlobSource;
  readonly health: EndpointHealth;
}

const BAD_STATUS = /HTTP status (5\d\d|429)/;

/** Whether the source would fail other requests too: it hangs, drips, refuses connections, or says that it cannot. */
export function isSourceOutage(error: unknown): boolean {
  if (error instanceof Error && BAD_STATUS.test(error.message)) return true;
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof HttpError) return ["unreachable", "timeout", "too-slow", "aborted"].includes(e.kind);
  }
  return false;
}

/** A source whose URL is `url`. A source that answers a probe is well even if it has no blobs for this network. */
export function askedSource(source: BlobSource, url: string, book: EndpointBook): AskedSource {
  const probe = async (signal: AbortSignal): Promise<void> => {
    try {
      await source.checkReachable(signal);
    } catch (error) {
      if (!(error instanceof BlobSourceError) || isSourceOutage(error)) throw error;
    }
  };
  return { source, health: book.of("blobs", url, probe) };
}
