import type { ClockCheck } from "./clock-check.ts";
import type { SigningGuard, SigningRequest } from "./signing/signing-guard.ts";
import { SigningRefusedError } from "./signing/signing-refused-error.ts";

/** Signs through another guard while the clock is right. */
export class ClockedGuard implements SigningGuard {
  readonly #guard: SigningGuard;
  readonly #clock: Pick<ClockCheck, "fault">;

  constructor(guard: SigningGuard, clock: Pick<ClockCheck, "fault">) {
    this.#guard = guard;
    this.#clock = clock;
  }

  async sign(request: SigningRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const fault = this.#clock.fault();
    if (fault !== undefined) throw new SigningRefusedError(request.signer.address, request.duty, "time", fault);
    return this.#guard.sign(request, signal);
  }

  close(): Promise<void> {
    return this.#guard.close();
  }
}
