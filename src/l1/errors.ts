import { OperatorError } from "../errors/operator-error.ts";
import { GENERATION_NAMES, GENERATIONS } from "../protocol/generations/known/choose.ts";

interface L1ErrorFields {
  /** Redacted. */
  url?: string;
  /** JSON-RPC method, with the contract function where there is one. */
  method?: string;
  cause?: unknown;
}

/** Base of errors about L1. */
export abstract class L1Error extends OperatorError {
  override readonly errorCode: string = "l1";

  /** True if a retry cannot help, because the configuration or the deployment has to change. */
  abstract readonly fatal: boolean;
  /** The violated rule, in one clause. */
  readonly rule: string;
  readonly url: string | undefined;
  readonly method: string | undefined;

  constructor(rule: string, fields: L1ErrorFields = {}) {
    const where = [fields.method, fields.url && `at ${fields.url}`].filter(Boolean).join(" ");
    super(where ? `${rule} (${where})` : rule, { cause: fields.cause });
    this.rule = rule;
    this.url = fields.url;
    this.method = fields.method;
  }
}

/** `behind`: the endpoint does not have a block yet that another one has. */
type EndpointFailure = "unreachable" | "timeout" | "http-status" | "nonsense" | "behind";

/** An endpoint gave no usable answer: it is down, slow, refuses, or violates the protocol. */
export class L1EndpointError extends L1Error {
  override readonly name = "L1EndpointError";
  readonly fatal = false;
  readonly kind: EndpointFailure;
  /** HTTP status of an answer that holds no JSON-RPC. */
  readonly status: number | undefined;

  constructor(kind: EndpointFailure, rule: string, fields: L1ErrorFields & { status?: number }) {
    super(rule, fields);
    this.kind = kind;
    this.status = fields.status;
  }
}

/** An endpoint answered with a JSON-RPC error. */
export class L1RpcError extends L1Error {
  override readonly name = "L1RpcError";
  readonly fatal = false;
  readonly code: number;
  readonly rpcMessage: string;
  /** Revert data, 0x text, when the error carries it. */
  readonly data: string | undefined;

  constructor(code: number, rpcMessage: string, data: string | undefined, fields: L1ErrorFields) {
    super(`error ${code}: ${rpcMessage}`, fields);
    this.code = code;
    this.rpcMessage = rpcMessage;
    this.data = data;
  }
}

/** No configured endpoint gave a usable answer. `failures` has one error per endpoint, from the last round. */
export class L1UnavailableError extends L1Error {
  override readonly name = "L1UnavailableError";
  readonly fatal = false;
  readonly failures: readonly L1Error[];

  constructor(failures: readonly L1Error[], method: string) {
    super(`no L1 endpoint answered: ${failures.map((f) => `${f.url}: ${f.rule}`).join("; ")}`, {
      method,
      cause: failures[0],
    });
    this.failures = failures;
  }
}

/** The endpoint does not have the contract state at the block: it was pruned, or is not part of a loaded state dump. */
export class HistoricalStateUnavailableError extends L1Error {
  override readonly name = "HistoricalStateUnavailableError";
  readonly fatal = false;
  readonly blockNumber: number;

  constructor(blockNumber: number, fields: L1ErrorFields) {
    super(`no state at L1 block ${blockNumber}`, fields);
    this.blockNumber = blockNumber;
  }
}

/** An endpoint serves another chain than the configured one. */
export class WrongChainError extends L1Error {
  override readonly name = "WrongChainError";
  readonly fatal = true;
  readonly expected: number;
  readonly actual: number;

  constructor(expected: number, actual: number, url: string) {
    super(`the endpoint serves chain ${actual}, but chain ${expected} is configured`, { url, method: "eth_chainId" });
    this.expected = expected;
    this.actual = actual;
  }
}

/** There is no contract at an address where one is expected. */
export class ContractMissingError extends L1Error {
  override readonly name = "ContractMissingError";
  readonly fatal = true;
  readonly address: string;

  constructor(contract: string, address: string, fields: L1ErrorFields) {
    super(`no code at ${address}, where the ${contract} contract should be`, fields);
    this.address = address;
  }
}

/** A contract's answer does not match its ABI: another contract is deployed at the address. */
export class ContractAnswerError extends L1Error {
  override readonly name = "ContractAnswerError";
  readonly fatal = true;
  readonly address: string;

  constructor(contract: string, address: string, bytes: number, fields: L1ErrorFields) {
    super(`${address} does not answer like the ${contract} contract (${bytes} bytes)`, fields);
    this.address = address;
  }
}

/** A contract call reverted. */
export class ContractRevertError extends L1Error {
  override readonly name = "ContractRevertError";
  readonly fatal = false;
  /** Name of the Solidity error; undefined if it is not in the ABI. */
  readonly errorName: string | undefined;
  readonly args: readonly unknown[];
  /** 0x text. */
  readonly data: string | undefined;

  constructor(
    revert: { errorName: string | undefined; args: readonly unknown[]; data: string | undefined; message: string },
    fields: L1ErrorFields,
  ) {
    super(`reverted: ${revert.errorName ?? revert.message}`, fields);
    this.errorName = revert.errorName;
    this.args = revert.args;
    this.data = revert.data;
  }
}

/** A view function that every such contract answers reverted: another contract is deployed at the address. */
export class WrongContractError extends L1Error {
  override readonly name = "WrongContractError";
  readonly fatal = true;

  constructor(cause: ContractRevertError) {
    super("a contract of the network reverted where each answers: the address is that of another contract", {
      method: cause.method,
      cause,
    });
  }
}

/** No configured endpoint is one of L1: each answers, but not in JSON-RPC. */
export class NoL1Error extends L1Error {
  override readonly name = "NoL1Error";
  readonly fatal = true;

  constructor(failures: readonly L1Error[]) {
    super(`no L1 endpoint speaks JSON-RPC: ${failures.map((f) => `${f.url}: ${f.rule}`).join("; ")}`, {
      cause: failures[0],
    });
  }
}

/** The registry has no rollup for the configured version. */
export class RollupNotFoundError extends L1Error {
  override readonly name = "RollupNotFoundError";
  readonly fatal = true;
  readonly registryAddress: string;
  readonly version: number | undefined;

  constructor(registryAddress: string, version: number | undefined, cause: unknown) {
    super(
      `registry ${registryAddress} has no ${version === undefined ? "rollup" : `rollup with version or index ${version}`}` +
        ", or is another contract",
      { cause },
    );
    this.registryAddress = registryAddress;
    this.version = version;
  }
}

/** What a rollup of another protocol says of itself; undefined where it does not answer. */
interface OtherProtocol {
  rollupAddress: string;
  rollupVersion: bigint | undefined;
  /** 0x text. */
  genesisArchiveRoot: string | undefined;
  /** 0x text. */
  vkTreeRoot: string | undefined;
  /** 0x text. */
  protocolContractsHash: string | undefined;
}

const commitmentsIn = (vkTreeRoot = "unknown", protocolContractsHash = "unknown"): string =>
  `verification keys ${vkTreeRoot}, protocol contracts ${protocolContractsHash}`;

/** The rollup is of a generation of the protocol that this program does not know. */
export class OtherProtocolError extends L1Error {
  override readonly name = "OtherProtocolError";
  override readonly errorCode: string = "other-protocol";
  readonly fatal = true;
  /** What the operator can do, in one clause. */
  readonly remedy: string;

  constructor(protocol: OtherProtocol) {
    const { rollupAddress, rollupVersion = "unknown", genesisArchiveRoot = "unknown" } = protocol;
    const known = GENERATIONS.map(
      ({ name, contracts }) => `${name} (${commitmentsIn(contracts.vkTreeRoot, contracts.protocolContractsHash)})`,
    );
    super(
      `rollup ${rollupAddress} (version ${rollupVersion}) is of a protocol that this program does not know: ` +
        `${commitmentsIn(protocol.vkTreeRoot, protocol.protocolContractsHash)}, ` +
        `genesis archive root ${genesisArchiveRoot}; known are ${known.join(" and ")}`,
    );
    this.remedy =
      "run the network's newer software for it, " +
      `or name a ${GENERATION_NAMES} rollup of this registry by --rollup-version (ROLLUP_VERSION)`;
  }
}

/** The configuration of L1 endpoints or addresses is invalid. */
export class L1ConfigurationError extends L1Error {
  override readonly name = "L1ConfigurationError";
  readonly fatal = true;
}

/**
 * No call in the transaction matches the hashes in its CheckpointProposed event
 * (docs/protocol/04-l1-contracts.md#410-binding-hashes).
 */
export class CheckpointCalldataError extends L1Error {
  override readonly name = "CheckpointCalldataError";
  readonly fatal = false;
  readonly checkpointNumber: number;
  readonly transactionHash: string;
  /** Result of each decoder. */
  readonly reasons: readonly string[];

  constructor(checkpointNumber: number, transactionHash: string, reasons: readonly string[]) {
    super(`checkpoint ${checkpointNumber}: no propose call found in ${transactionHash}: ${reasons.join("; ")}`);
    this.checkpointNumber = checkpointNumber;
    this.transactionHash = transactionHash;
    this.reasons = reasons;
  }
}

/** L1 was reorganized while a range was read, so two answers are from different forks. Reading again resolves it. */
export class L1ReorgError extends L1Error {
  override readonly name = "L1ReorgError";
  readonly fatal = false;
}

/**
 * L1 has the block of a log, but the endpoint does not give the transaction of the log: it lags, or prunes old ones.
 */
export class L1TransactionMissingError extends L1Error {
  override readonly name = "L1TransactionMissingError";
  readonly fatal = false;
}

/** The committee of an epoch is not known yet, because its validator set is sampled later than the latest L1 block. */
export class EpochNotStableError extends L1Error {
  override readonly name = "EpochNotStableError";
  readonly fatal = false;
  readonly epoch: number;

  constructor(epoch: number, sampledAt: number, latest: number) {
    super(`the validators of epoch ${epoch} are sampled at ${sampledAt}, latest L1 block is at ${latest}`);
    this.epoch = epoch;
  }
}

/** L1 took so long to answer that its answer cannot be called current any more. */
export class StaleFeesError extends L1Error {
  override readonly name = "StaleFeesError";
  readonly fatal = false;
  readonly ageMs: number;

  constructor(ageMs: number, maxAgeMs: number) {
    super(`the fees of L1 are ${Math.round(ageMs)} ms old, ${maxAgeMs} ms are allowed`);
    this.ageMs = ageMs;
  }
}
