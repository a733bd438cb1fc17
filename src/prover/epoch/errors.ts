/** An epoch cannot be proven: its data contradict themselves, or a job was lost. */
export class EpochProvingError extends Error {
  readonly epoch: number;

  constructor(epoch: number, reason: string, options?: ErrorOptions) {
    super(`epoch ${epoch} cannot be proven: ${reason}`, options);
    this.name = "EpochProvingError";
    this.epoch = epoch;
  }
}

/** What made the proof of an epoch impossible, as an EpochProvingError. */
export function provingError(epoch: number, cause: unknown): EpochProvingError {
  if (cause instanceof EpochProvingError) return cause;
  return new EpochProvingError(epoch, cause instanceof Error ? cause.message : String(cause), { cause });
}
