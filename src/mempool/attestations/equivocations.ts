import { Listeners } from "../../events/listeners.ts";
import type { Logger } from "../../telemetry/logger.ts";

export interface DuplicateProposal {
  slot: number;
  /** 20 bytes. */
  proposer: Uint8Array;
  kind: "block" | "checkpoint";
}

export interface DuplicateAttestation {
  slot: number;
  /** 20 bytes. */
  attester: Uint8Array;
}

/** Emits validators that signed two different messages for one position, once for each position. */
export class Equivocations {
  readonly proposals: Listeners<[DuplicateProposal]>;
  readonly attestations: Listeners<[DuplicateAttestation]>;

  constructor(logger: Logger) {
    const failed = (error: unknown) => logger.error({ err: error }, "a listener for equivocations failed");
    this.proposals = new Listeners(failed);
    this.attestations = new Listeners(failed);
  }
}
