import { toHex } from "../protocol/bytes.ts";
import { type WireSignature, wireSignature } from "../protocol/consensus/wire-signature.ts";
import type { DutySignerParts } from "./duty-signer.ts";

interface ChallengeSignerParts extends Pick<DutySignerParts, "signerOf"> {
  /** All attesters of this node; lower-case 0x text. */
  ownAddresses(): readonly string[];
  /** All attesters of the rollup, 20 bytes each. */
  registered(): Promise<readonly Uint8Array[]>;
  /** Unix milliseconds. */
  now(): number;
}

/** Time for which the attesters read from L1 count, in milliseconds. */
const REGISTERED_FOR_MS = 60_000;

/**
 * Signs the challenges of peers that want to know a validator (docs/protocol/10-peers.md#1014-sub-protocols). They are
 * no duties: their payload cannot be that of one.
 */
export class ChallengeSigner {
  readonly #parts: ChallengeSignerParts;
  #registered: { set: Promise<ReadonlySet<string>>; until: number } | undefined;

  constructor(parts: ChallengeSignerParts) {
    this.#parts = parts;
  }

  /** Signs with the first registered attester of this node; undefined if none is. Rejects if L1 or the signer fails. */
  async sign(payloadHash: Uint8Array): Promise<WireSignature | undefined> {
    const { ownAddresses, signerOf } = this.#parts;
    const registered = await this.#read();
    const first = ownAddresses().find((address) => registered.has(address));
    const signer = first === undefined ? undefined : signerOf(first);
    return signer && wireSignature(await signer.signMessage(payloadHash));
  }

  #read(): Promise<ReadonlySet<string>> {
    const { registered, now } = this.#parts;
    if (this.#registered === undefined || now() >= this.#registered.until) {
      const set = registered().then((attesters) => new Set(attesters.map(toHex)));
      this.#registered = { set, until: now() + REGISTERED_FOR_MS };
      set.catch(() => {
        this.#registered = undefined;
      });
    }
    return this.#registered.set;
  }
}
