import { toHex } from "../../protocol/bytes.ts";

/** A proof of an epoch cannot be started or finished. The message is one line for the log and for RPC clients. */
export class ProvingRefusedError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "ProvingRefusedError";
  }
}

/** Transactions of an epoch are in no place where they were looked for. */
export class TxsMissingError extends ProvingRefusedError {
  readonly hashes: readonly Uint8Array[];

  constructor(epoch: number, hashes: readonly Uint8Array[]) {
    super(`Txs not found for epoch ${epoch}: ${hashes.map(toHex).join(", ")}`);
    this.name = "TxsMissingError";
    this.hashes = hashes;
  }
}

/** The chain under an epoch changed while it was proven. */
export class EpochReorganizedError extends Error {
  constructor(epoch: number, checkpoint: number) {
    super(`checkpoint ${checkpoint} of epoch ${epoch} was replaced while it was proven`);
    this.name = "EpochReorganizedError";
  }
}

/** L1 takes no proof of the epoch any more. */
export class DeadlinePassedError extends Error {
  constructor(epoch: number) {
    super(`the deadline for a proof of epoch ${epoch} has passed`);
    this.name = "DeadlinePassedError";
  }
}

/** L1 does not take a proof: it contradicts what L1 has, or another proof covers more. */
export class ProofRefusedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "ProofRefusedError";
  }
}
