import { type Abi, encodeAbiParameters, encodeFunctionData, getContractAddress, getCreate2Address } from "viem";
import { concat, fromHex, toHex } from "../../protocol/bytes.ts";
import { type Artifact, type ContractName, linked, readArtifact } from "./artifacts.ts";

type Hex = `0x${string}`;

/** One transaction of a deployment. */
export interface Step {
  /** Shown in progress and error messages. */
  name: string;
  /** Lower-case 0x; undefined: creates a contract. */
  to: string | undefined;
  data: Uint8Array;
  /** Wei. */
  value: bigint;
}

/**
 * The deterministic deployment proxy, at the same address on every chain. Creates a contract from salt and creation
 * code.
 */
export const CREATE2_DEPLOYER = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const SALT = new Uint8Array(32);

/** CREATE address of the contract that an account or contract creates with this nonce. Lower-case. */
export function createdAddress(from: string, nonce: number): string {
  return getContractAddress({ from: from as Hex, nonce: BigInt(nonce) }).toLowerCase();
}

/** Address of a contract that CREATE2_DEPLOYER creates. Lower-case. */
export function create2Address(creationCode: Uint8Array): string {
  const bytecode = toHex(creationCode) as Hex;
  return getCreate2Address({ from: CREATE2_DEPLOYER, salt: SALT, bytecode }).toLowerCase();
}

/** Creates a contract that has no constructor arguments through CREATE2_DEPLOYER. */
export function create2Step(name: string, creationCode: Uint8Array): Step {
  return { name: `deploy ${name}`, to: CREATE2_DEPLOYER, data: concat(SALT, creationCode), value: 0n };
}

/** Creation code followed by the ABI-encoded constructor arguments. */
export function creation(
  artifact: Artifact,
  args: readonly unknown[],
  libraries: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const encoded = fromHex(encodeAbiParameters(artifact.parameters, args));
  return concat(linked(artifact, libraries), encoded);
}

/**
 * Collects the steps of one account in order. Computes the address of each new contract from the account's nonce, so
 * that later steps can refer to it before anything is sent.
 */
export class StepList {
  readonly steps: Step[] = [];
  readonly #from: string;
  readonly #firstNonce: number;
  readonly #artifacts = new Map<string, Artifact>();

  constructor(from: string, firstNonce: number) {
    this.#from = from;
    this.#firstNonce = firstNonce;
  }

  add(step: Step): void {
    this.steps.push(step);
  }

  /** Address of the contract if the next step creates one. */
  nextAddress(): string {
    return createdAddress(this.#from, this.#firstNonce + this.steps.length);
  }

  /** Adds a deployment step and returns the contract's future address. */
  deploy(
    contract: ContractName,
    args: readonly unknown[],
    libraries: ReadonlyMap<string, Uint8Array> = new Map(),
    label: string = contract,
  ): string {
    const address = this.nextAddress();
    const data = creation(this.#artifact(contract), args, libraries);
    this.add({ name: `deploy ${label}`, to: undefined, data, value: 0n });
    return address;
  }

  call(contract: ContractName, address: string, functionName: string, args: readonly unknown[], purpose: string): void {
    const abi: Abi = this.#artifact(contract).abi;
    this.add({ name: purpose, to: address, data: fromHex(encodeFunctionData({ abi, functionName, args })), value: 0n });
  }

  #artifact(name: ContractName): Artifact {
    const known = this.#artifacts.get(name) ?? readArtifact(name);
    this.#artifacts.set(name, known);
    return known;
  }
}
