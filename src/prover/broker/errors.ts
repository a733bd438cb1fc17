import { INVALID_OUTPUT } from "../jobs/proving-job.ts";

/** A request that the broker cannot follow. The messages are those of the reference. */
export abstract class BrokerRequestError extends Error {}

/** A job has the id of another one. */
export class DuplicateJobError extends BrokerRequestError {
  readonly id: string;

  constructor(id: string) {
    super("Duplicate proving job ID");
    this.name = "DuplicateJobError";
    this.id = id;
  }
}

/** A job of an epoch whose jobs are no longer kept. */
export class StaleEpochError extends BrokerRequestError {
  readonly epochNumber: number;
  readonly newest: number;

  constructor(epochNumber: number, newest: number) {
    super(`Epoch too old: job epoch ${epochNumber}, current epoch: ${newest}`);
    this.name = "StaleEpochError";
    this.epochNumber = epochNumber;
    this.newest = newest;
  }
}

/** A job of an epoch that cannot have begun. Taking it would make all other jobs stale. */
export class FarEpochError extends BrokerRequestError {
  readonly epochNumber: number;
  readonly newest: number;

  constructor(epochNumber: number, newest: number) {
    super(`Epoch too far ahead: job epoch ${epochNumber}, current epoch: ${newest}`);
    this.name = "FarEpochError";
    this.epochNumber = epochNumber;
    this.newest = newest;
  }
}

/** The broker itself failed. Its log has the reason, which may name files and is not for clients. */
export class BrokerFaultError extends BrokerRequestError {
  constructor(options: ErrorOptions) {
    super("The broker failed: its log has the reason", options);
    this.name = "BrokerFaultError";
  }
}

/** An output is not one of its job. */
export class OutputRefusedError extends BrokerRequestError {
  readonly id: string;

  constructor(id: string, fault: string) {
    super(`${INVALID_OUTPUT}${fault}`);
    this.name = "OutputRefusedError";
    this.id = id;
  }
}
