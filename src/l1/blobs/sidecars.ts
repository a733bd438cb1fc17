import { equal } from "../../protocol/bytes.ts";
import { offerFromHex } from "./blob-offer.ts";
import { BlobRejectedError, BlobSourceError } from "./errors.ts";
import type { BlobAnswer, BlobOffer } from "./source.ts";

/** Picks the wanted blobs from a set given as 0x text. One malformed blob invalidates the whole set. */
export function pickWanted(
  source: string,
  items: readonly { blob: unknown; commitment: unknown }[],
  wanted: readonly Uint8Array[],
): BlobAnswer {
  let all: BlobOffer[];
  try {
    all = items.map((item) => offerFromHex(source, item));
  } catch (error) {
    if (!(error instanceof BlobRejectedError)) throw error;
    throw new BlobSourceError(source, `one of its ${items.length} blobs is malformed: ${error.detail}`, {
      cause: error,
    });
  }
  const answer: BlobAnswer = { offers: [], refusals: [] };
  for (const versionedHash of wanted) {
    const offer = all.find((candidate) => equal(candidate.versionedHash, versionedHash));
    if (offer) answer.offers.push(offer);
    else answer.refusals.push({ versionedHash, reason: `not among the ${all.length} blobs of the block` });
  }
  return answer;
}
