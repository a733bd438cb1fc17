import { OperatorError } from "../../errors/operator-error.ts";

/** A deployment request that cannot be carried out. The message alone is enough for the operator. */
abstract class DeploymentError extends OperatorError {
  override readonly errorCode: string = "deployment";
}

/** The contract artifacts are missing: the build has not fetched them. */
export class ArtifactsMissingError extends DeploymentError {
  readonly path: string;
  constructor(path: string, options?: ErrorOptions) {
    super(`the L1 contract artifacts are missing: ${path} cannot be read. Run: npm run build`, options);
    this.name = "ArtifactsMissingError";
    this.path = path;
  }
}

/** A contract needs a library that has no address. */
export class LinkError extends DeploymentError {
  readonly contract: string;
  readonly library: string;
  constructor(contract: string, library: string) {
    super(`contract ${contract} cannot be linked: library ${library} has no address`);
    this.name = "LinkError";
    this.contract = contract;
    this.library = library;
  }
}

/** A deployment parameter that the contracts would reject, or that conflicts with another one. */
export class DeploymentParameterError extends DeploymentError {
  readonly field: string;
  readonly rule: string;
  constructor(field: string, rule: string) {
    super(`${field} ${rule}`);
    this.name = "DeploymentParameterError";
    this.field = field;
    this.rule = rule;
  }
}

interface StepFailure {
  /** Name of the step, as progress shows it. */
  step: string;
  /** Position of the step, counted from 1. */
  position: number;
  total: number;
  /** One clause: the contract's error with its arguments, or the other failure. */
  reason: string;
  /** Undefined: nothing of this step reached L1. */
  transactionHash?: string;
}

/** A step of a deployment failed. Earlier steps are on L1, unless `rehearsed` is set. */
export class DeploymentStepError extends DeploymentError {
  readonly step: string;
  readonly reason: string;
  readonly transactionHash: string | undefined;
  /** The failure occurred in the dry run: nothing was sent. */
  readonly rehearsed: boolean;

  constructor(failure: StepFailure, rehearsed: boolean, options?: ErrorOptions) {
    const where = rehearsed
      ? "nothing was sent"
      : (failure.transactionHash && `L1 transaction ${failure.transactionHash}`) || "not sent";
    super(`step ${failure.position} of ${failure.total}, ${failure.step}: ${failure.reason} (${where})`, options);
    this.name = "DeploymentStepError";
    this.step = failure.step;
    this.reason = failure.reason;
    this.transactionHash = failure.transactionHash;
    this.rehearsed = rehearsed;
  }
}

/** The deploying account cannot pay for the deployment. */
export class DeployerFundsError extends DeploymentError {
  readonly address: string;
  /** Wei. */
  readonly balance: bigint;
  readonly needed: bigint;
  constructor(address: string, balance: bigint, needed: bigint) {
    super(`deployer ${address} must have about ${ether(needed)} ETH, has ${ether(balance)} ETH`);
    this.name = "DeployerFundsError";
    this.address = address;
    this.balance = balance;
    this.needed = needed;
  }
}

function ether(wei: bigint): string {
  const micro = (wei + 10n ** 12n - 1n) / 10n ** 12n;
  return `${micro / 10n ** 6n}.${String(micro % 10n ** 6n).padStart(6, "0")}`;
}
