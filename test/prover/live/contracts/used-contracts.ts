import { preloadedClasses, preloadedInstances } from "../../../../src/archiver/preloaded-contracts.ts";
import type { Core } from "../../../../src/core/core.ts";
import { argumentsHash } from "../../../../src/core/derive/call-hashes.ts";
import { packedBytecodeFields } from "../../../../src/core/derive/contract-class.ts";
import { siloNullifier } from "../../../../src/core/derive/nullifier.ts";
import { concat, toHex } from "../../../../src/protocol/bytes.ts";
import { SEPARATOR } from "../../../../src/protocol/constants.ts";
import { CLASS_PUBLISHED, INSTANCE_PUBLISHED } from "../../../../src/protocol/contracts/contract-events.ts";
import { FR_ZERO, type Fr, fr } from "../../../../src/protocol/field.ts";
import type { Generation } from "../../../../src/protocol/generations/generation.ts";
import type { PartPlan } from "../../../world/execution/tx-builder.ts";
import type { MadeCall } from "../../../world/prover/made-chain.ts";
import {
  type MadeContract,
  type MadeContracts,
  madeContract,
  sourceOfMade,
} from "../../../world/prover/made-contracts.ts";
import {
  type Argument,
  anyArgument,
  type ContractArtifact,
  encodeArgument,
  type PublicFunction,
  selectorOf,
} from "./artifact.ts";
import { ALICE, type ContractUse, type PlannedArgument } from "./plans.ts";

/** A call, and the function that it is of. */
export interface FunctionCall extends MadeCall {
  readonly artifact: string;
  readonly name: string;
  readonly isTeardown?: boolean;
}

/** Contracts of a release under the addresses that their plans give them. */
export class UsedContracts {
  readonly #core: Core;
  readonly #generation: Generation;
  readonly #artifacts: ReadonlyMap<string, ContractArtifact>;
  readonly #made = new Map<string, MadeContract>();
  readonly #published = new Set<string>();
  #next = 0x100_0000;

  constructor(
    core: Core,
    generation: Generation,
    artifacts: ReadonlyMap<string, ContractArtifact>,
    uses: readonly ContractUse[],
  ) {
    this.#core = core;
    this.#generation = generation;
    this.#artifacts = artifacts;
    const { contracts } = generation;
    const protocol = [...preloadedInstances(contracts).values()].map((instance) => {
      const contractClass = preloadedClasses(contracts).get(toHex(instance.currentContractClassId))!;
      return { instance: { ...instance, immutablesHash: FR_ZERO }, contractClass };
    });
    for (const [i, use] of uses.entries()) {
      const known = contracts.protocolContracts.findIndex(({ name }) => name === use.artifact);
      this.#made.set(use.label, known < 0 ? this.#make(use, fr(i + 1)) : protocol[known]);
    }
    this.contracts = {
      addresses: Object.fromEntries([...this.#made].map(([label, { instance }]) => [label, instance.address])),
      source: sourceOfMade([...this.#made.values(), ...protocol]),
      nullifiers: [],
    };
  }

  /** None is deployed at first but those of the protocol. */
  readonly contracts: MadeContracts;

  #make(use: ContractUse, salt: Fr): MadeContract {
    const { packedBytecode } = this.#artifact(use.artifact);
    const initializer = this.#initializer(use);
    if (initializer === undefined) return madeContract(this.#core, this.#generation, { packedBytecode }, salt);
    const [selector, ...args] = this.#calldata(initializer, use.initialize);
    const input = concat(selector, argumentsHash(this.#core, concat(...args)));
    const initializationHash = this.#core.hashWithSeparator(SEPARATOR.INITIALIZER, input);
    return madeContract(this.#core, this.#generation, { packedBytecode, initializationHash }, salt);
  }

  #artifact(name: string): ContractArtifact {
    const artifact = this.#artifacts.get(name);
    if (artifact === undefined) throw new Error(`${name} is not among the artifacts`);
    return artifact;
  }

  #initializer({ artifact, initialize }: ContractUse): PublicFunction | undefined {
    if (initialize === undefined) return undefined;
    return this.#artifact(artifact).functions.find(({ isInitializer }) => isInitializer);
  }

  #resolve(argument: PlannedArgument): Argument {
    if (Array.isArray(argument)) return (argument as PlannedArgument[]).map((each) => this.#resolve(each));
    if (typeof argument !== "object" || !("contract" in argument)) return argument as Argument;
    const label = argument.contract.replace("class of ", "");
    const { instance } = this.#made.get(label) ?? {};
    if (instance === undefined) throw new Error(`${label} is planned later`);
    return label === argument.contract ? instance.address : instance.currentContractClassId;
  }

  #calldata(called: PublicFunction, args: readonly PlannedArgument[] = []): Fr[] {
    if (args.length !== called.parameters.length) throw new Error(`${called.name} has other arguments`);
    const values = called.parameters.flatMap(({ type }, i) => encodeArgument(type, this.#resolve(args[i])));
    return [selectorOf(this.#core, called), ...values];
  }

  #call(
    label: string,
    artifact: string,
    called: PublicFunction,
    args: readonly PlannedArgument[],
    sender?: Fr,
  ): FunctionCall {
    return {
      ...{ artifact, name: called.name, to: label, words: this.#calldata(called, args), isStatic: called.isView },
      sender: sender ?? (called.isOnlySelf ? (this.#resolve({ contract: label }) as Fr) : ALICE),
    };
  }

  /** The call that initializes the contract. */
  initialization(use: ContractUse): FunctionCall | undefined {
    const initializer = this.#initializer(use);
    return initializer && this.#call(use.label, use.artifact, initializer, use.initialize ?? []);
  }

  /** The planned calls, then one of each other function. */
  calls(use: ContractUse, uses: readonly ContractUse[]): FunctionCall[] {
    const planned = (use.calls ?? []).map(({ call, args, sender, on = use.label, isTeardown }) => {
      const { artifact } = uses.find(({ label }) => label === on)!;
      const called = this.#artifact(artifact).functions.find(({ name }) => name === call);
      if (called === undefined) throw new Error(`${artifact} has no ${call}`);
      return { ...this.#call(on, artifact, called, args, sender && (this.#resolve(sender) as Fr)), isTeardown };
    });
    const others = this.#artifact(use.artifact).functions.filter(
      ({ name }) => !planned.some((each) => each.artifact === use.artifact && each.name === name),
    );
    const any = others.map((called) =>
      this.#call(
        use.label,
        use.artifact,
        called,
        called.parameters.map(({ type }) => anyArgument(type, ALICE)),
      ),
    );
    return [...planned, ...any];
  }

  /** What no other transaction has. */
  unique(): PartPlan {
    return { nullifiers: [fr(this.#next++)] };
  }

  /** The private part of a transaction that publishes the contract, and its class the first time. */
  publication({ label, partialNotes = [] }: ContractUse): PartPlan {
    const core = this.#core;
    const { classRegistry, instanceRegistry, protocolContracts } = this.#generation.contracts;
    const { instance, contractClass } = this.#made.get(label)!;
    const notes = partialNotes.map(({ of, commitment, completer }) => {
      const by = typeof completer === "string" ? (this.#resolve({ contract: completer }) as Fr) : completer;
      const inner = core.hashWithSeparator(this.#separator("partial_note_validity_commitment"), concat(commitment, by));
      return siloNullifier(core, this.#resolve({ contract: of }) as Fr, inner);
    });
    const own = [...(this.unique().nullifiers ?? []), ...notes];
    if (protocolContracts.some(({ address }) => Buffer.compare(address, instance.address) === 0))
      return { nullifiers: own };
    const { id, artifactHash, privateFunctionsRoot, packedBytecode } = contractClass;
    const isNew = !this.#published.has(toHex(id));
    this.#published.add(toHex(id));
    const { address, salt, initializationHash, immutablesHash, publicKeys, deployer } = instance;
    return {
      nullifiers: [
        ...own,
        siloNullifier(core, instanceRegistry, address),
        ...(isNew ? [siloNullifier(core, classRegistry, id)] : []),
      ],
      privateLogs: [
        concat(
          ...[INSTANCE_PUBLISHED, address, fr(this.#generation.contracts.instanceVersion), salt, id],
          ...[initializationHash, immutablesHash, publicKeys, deployer],
        ),
      ],
      ...(isNew && {
        classLog: concat(
          ...[CLASS_PUBLISHED, id, fr(1), artifactHash, privateFunctionsRoot, fr(packedBytecode.length)],
          packedBytecodeFields(packedBytecode),
        ),
      }),
    };
  }

  /** docs/protocol/01-fields-and-hashing.md#112-domain-separators. */
  #separator(name: string): number {
    return Number(BigInt(toHex(this.#core.hashBytes(Buffer.from(`az_dom_sep__${name}`)))) & 0xffff_ffffn);
  }
}
