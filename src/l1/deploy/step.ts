import { type Abi, encodeAbiParameters, encodeFunctionData, getContractAddress, getCreate2Address } from "viem";
import { concat, fromHex, toHex } from "../../protocol/bytes.ts";
import { type Artifact, type ContractName, linked, readArtifact } from "./artifacts.ts";

type Hex = `0x${string}`;

/** One transaction of a deployment. */
export interface Step {
  /** For progress and messages. */
  name: string;
  /** Lower-case 0x; undefined: creates a contract. */
  to: string | undefined;
  data: Uint8Array;
  /** Wei. */
  value: bigint;
}

/** Deployed by anyone at the same address of every chain; creates a contract from salt and creation code. */
export const CREATE2_DEPLOYER = "0x4e59b44847b379578588920ca78fbf26c0b4956c";
const SALT = new Uint8Array(32);

/** Address of the contract that an account, or a contract, creates with its transaction, or creation, of that number. Lower-case. */
export function createdAddress(from: string, nonce: number): string {
  return getContractAddress({ from: from as Hex, nonce: BigInt(nonce) }).toLowerCase();
}

/** Address at which CREATE2_DEPLOYER puts a contract. Lower-case. */
export function create2Address(creationCode: Uint8Array): string {
  const bytecode = toHex(creationCode) as Hex;
  return getCreate2Address({ from: CREATE2_DEPLOYER, salt: SALT, bytecode }).toLowerCase();
}

/** Creates a contract without arguments through CREATE2_DEPLOYER. */
export function create2Step(name: string, creationCode: Uint8Array): Step {
  return { name: `deploy ${name}`, to: CREATE2_DEPLOYER, data: concat(SALT, creationCode), value: 0n };
}

/** Creation code with encoded arguments. */
export function creation(
  artifact: Artifact,
  args: readonly unknown[],
  libraries: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const encoded = fromHex(encodeAbiParameters(artifact.parameters, args));
  return concat(linked(artifact, libraries), encoded);
}

/**
 * Collects the steps of one account in order and gives each new contract the address that the account's nonce decides, so that
 * later steps can name it before anything is sent.
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

  /** Where the next step puts a contract that it creates. */
  nextAddress(): string {
    return createdAddress(this.#from, this.#firstNonce + this.steps.length);
  }

  /** The address that the contract will have. */
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
