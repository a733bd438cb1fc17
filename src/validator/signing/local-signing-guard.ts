import { Recording } from "./recording.ts";
import type { SignedDuties } from "./signed-duties.ts";
import { prepareRequest, type SigningGuard, type SigningRequest } from "./signing-guard.ts";
import type { SigningWindow } from "./signing-window.ts";

/**
 * Guard of a node without a database. A message is on disk before it is signed, so for each validator and duty one
 * message at most is ever signed by all processes that use the folder, one after the other or at the same time.
 *
 * The folder may be older than the last signature: a restored backup, a lost folder, a key that another program used
 * until now. So a slot that could have been signed for before this start is signed for only if the same message is on
 * record. This costs at most the slot in which the node starts and the one after. It holds if the clock is not behind
 * the clock of the earlier signer, and if no other program and no other folder is used with the keys any more.
 */
export class LocalSigningGuard implements SigningGuard {
  readonly #window: SigningWindow;
  readonly #recording: Recording;
  readonly #knownUpTo: number;

  /** `knownUpTo` is the newest slot that may have been signed for before this start. */
  constructor(window: SigningWindow, duties: SignedDuties, knownUpTo: number) {
    this.#window = window;
    this.#recording = new Recording(duties);
    this.#knownUpTo = knownUpTo;
  }

  async sign(request: SigningRequest, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const { validator, duty, hash, makeSignature } = prepareRequest(request);
    this.#window.check(validator, duty);
    await this.#recording.record({ validator, duty, hash, knownUpTo: this.#knownUpTo });
    return makeSignature(signal);
  }

  async close(): Promise<void> {}
}
