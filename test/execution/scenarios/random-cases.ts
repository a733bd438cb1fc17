import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { feePayerBalanceSlot } from "../../../src/core/derive/public-storage.ts";
import { instructionsOf } from "../../../src/execution/vm/instruction-set.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { core, type GivenTx, short, type TxCase } from "../../world/execution/avm-vectors.ts";
import { Draw, generate } from "./generated-programs.ts";
import type { ProgramContext } from "./program-writer.ts";
import { randomDeploys } from "./random-deploys.ts";
import { RandomProgram } from "./random-programs.ts";

/** A random transaction, made only of its seed. */
export interface RandomCase {
  readonly given: GivenTx;
  readonly debugLogs: boolean;
}

export type CaseKind = "tx" | "programs";

const FEE_PAYER = 0xfee;
const BALANCE_SLOT = BigInt(toHex(feePayerBalanceSlot(core, fr(FEE_PAYER))));
const CONTRACTS = [0x1001, 0x1002, 0x1003, 0x1004, 0x1005];
/** The first is known but not deployed, the second is unknown. */
const ABSENT = [0x1008, 0x1009];
/** Where transactions publish contracts. */
const PUBLISHED = [0x1010, 0x1011];
/** Programs of a batch; the class limit is 21, with the one that calls them. */
export const BATCH = 20;
const BATCH_AT = 0x2000;
const DRIVER = 0x1fff;
const BATCH_GAS = 280_000;
const NULLIFIERS = ["0x4242", "0x4243", "0x4244", "0x7", "0x200"];
/** Nullifiers as programs emit them. */
const EMITTED = CONTRACTS.flatMap((address) =>
  Array.from({ length: 6 }, (_, i) => short(siloNullifier(core, fr(address), fr(i)))),
);

type Contract = GivenTx["contracts"][number];
type Calls = NonNullable<TxCase["tx"]["app"]>;

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

class CaseWriter {
  readonly #draw: Draw;
  readonly #generation: Generation;
  readonly #seed: number;
  /** No two cases of any kind have the same. */
  readonly #number: number;
  readonly #context: ProgramContext;

  constructor(seed: number, kind: CaseKind, generation: Generation) {
    this.#number = seed * 2 + (kind === "tx" ? 0 : 1);
    this.#draw = new Draw(this.#number);
    this.#seed = seed;
    this.#generation = generation;
    const { vm } = generation.execution;
    this.#context = {
      instructions: instructionsOf(vm),
      pointCells: vm.pointCells,
      instanceMembers: vm.instanceMembers,
      addresses: [
        ...CONTRACTS,
        ...CONTRACTS,
        ...this.#protocolAddresses(),
        ...ABSENT,
        ...(kind === "tx" ? [...PUBLISHED, ...PUBLISHED] : []),
      ],
      balanceSlot: BALANCE_SLOT,
    };
  }

  #protocolAddresses(): number[] {
    return this.#generation.contracts.protocolContracts.map(({ address }) => address[31]);
  }

  #program(): string {
    const draw = this.#draw;
    if (draw.chance(5)) return toHex(generate(draw.u32(), this.#context.instructions).bytecode);
    return toHex(new RandomProgram(draw, this.#context).write(1 + draw.below(draw.chance(4) ? 60 : 14)));
  }

  /** Class ids are names of bytecodes, so no two cases may share one. */
  #contract(address: number, i: number, bytecode: string): Contract {
    const isProtocol = address < 12;
    return {
      address: hex(address),
      classId: hex(BigInt(this.#number + 1) * 0x10000n + BigInt(i)),
      ...(!isProtocol && this.#draw.chance(8) && { originalClassId: hex(0xc1a55) }),
      bytecode,
      deployer: hex(isProtocol ? address : 0xd000 + i),
      initHash: hex(isProtocol ? 0 : 0xe000 + i),
      ...(this.#generation.execution.vm.instanceMembers > 3 && { immutablesHash: hex(isProtocol ? 0 : 0xf000 + i) }),
      ...((isProtocol || address === ABSENT[0]) && { noNullifier: true }),
    };
  }

  #times<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.#draw.below(most + 1) }, (_, i) => make(i));
  }

  #calls(most: number): Calls {
    const draw = this.#draw;
    return this.#times(most, () => ({
      address: hex(draw.chance(30) ? draw.pick(this.#context.addresses) : draw.pick(CONTRACTS)),
      calldata: this.#times(4, () => hex(draw.chance(3) ? draw.u32() : draw.below(9))),
      isStatic: draw.chance(10),
    }));
  }

  #part(isFirst: boolean): TxCase["tx"]["nonRevertible"] {
    const draw = this.#draw;
    const isMany = draw.chance(8);
    const count = (usual: number, nearLimit: number) =>
      isMany && draw.chance(2) ? nearLimit - draw.below(4) : draw.below(usual);
    const own = (i: number) => hex((isFirst ? 0x10000 : 0x20000) + i);
    const nullifiers = Array.from({ length: count(3, isFirst ? 60 : 6) }, (_, i) =>
      draw.chance(150) ? draw.pick(NULLIFIERS) : draw.chance(100) ? draw.pick(EMITTED) : own(i),
    );
    return {
      nullifiers: isFirst ? ["0x4242", ...nullifiers] : nullifiers,
      noteHashes: Array.from({ length: count(3, isFirst ? 62 : 6) }, (_, i) => own(i + 0x100)),
      l2ToL1Msgs: Array.from({ length: count(2, isFirst ? 7 : 5) }, (_, i) => ({
        contract: "0x99",
        recipient: hex(i + 1),
        content: hex(draw.below(9)),
      })),
    };
  }

  /** Addresses and classes are those of PUBLISHED and of contracts that exist. */
  #deploys(contracts: readonly Contract[]): GivenTx["deploys"] {
    const plan = {
      addresses: [...PUBLISHED, ...PUBLISHED, ABSENT[0], CONTRACTS[0]],
      classIds: [...contracts.map(({ classId }) => classId), "0xabcdef"],
      program: () => this.#program(),
    };
    return randomDeploys(this.#draw, plan, this.#generation);
  }

  tx(): RandomCase {
    const draw = this.#draw;
    const addresses = [...CONTRACTS, ABSENT[0], ...this.#protocolAddresses()];
    const contracts = addresses.map((address, i) => this.#contract(address, i, this.#program()));
    const teardown = draw.chance(2) ? this.#calls(1)[0] : undefined;
    const setup = draw.chance(4) ? this.#calls(2) : [];
    const app = this.#calls(4);
    const deploys = draw.chance(4) ? this.#deploys(contracts) : undefined;
    const none = setup.length + app.length === 0 && teardown === undefined;
    const teardownGasLimits = { da: draw.pick([0, 500, 98_304]), l2: draw.pick([30_000, 300_000, 817_500]) };
    const used = { da: 96, l2: 540_000 };
    if (teardown !== undefined) {
      used.da += teardownGasLimits.da;
      used.l2 += teardownGasLimits.l2;
    }
    return {
      debugLogs: draw.chance(4),
      given: {
        group: "random",
        name: `transaction ${this.#seed}`,
        contracts,
        pre: {
          nullifiers: draw.chance(3) ? ["0x200"] : [],
          noteHashes: this.#times(2, (i) => hex(i + 1)),
          l1ToL2Messages: this.#times(2, (i) => hex(i + 1)),
          ...(!draw.chance(20) && { feePayerBalance: draw.chance(6) ? "0x3c0000" : "0xffffffffff" }),
        },
        ...(deploys && { deploys }),
        tx: {
          setup,
          app: none ? [{ address: hex(CONTRACTS[0]) }] : app,
          ...(teardown && { teardown, teardownGasLimits }),
          nonRevertible: this.#part(true),
          revertible: this.#part(false),
          gasLimits: {
            da: used.da + draw.pick([0, 64, 300, 2000, 100_000, 100_000, 700_000, 700_000]),
            l2: used.l2 + draw.pick([20_000, 90_000, 400_000, 3_000_000, 6_000_000, 6_000_000]),
          },
          gasUsedByPrivate: used,
          feePayer: draw.chance(40) ? "0x0" : hex(FEE_PAYER),
          maxFeesPerGas: { da: draw.pick([3, 10]), l2: draw.pick([5, 10]) },
          maxPriorityFeesPerGas: { da: draw.below(3), l2: draw.below(3) },
        },
      },
    };
  }

  /** Gas of a program of a batch; some of it runs out at any instruction. */
  #batchGas(): [l2: number, da: number] {
    const draw = this.#draw;
    const l2 = draw.chance(3) ? draw.below(draw.pick([300, 3000, 60_000])) : BATCH_GAS;
    return [l2, draw.chance(8) ? draw.below(130) : 2000];
  }

  /** A program that calls each of the batch and returns what is left of the gas after each. */
  #driver(): string {
    const out: number[] = [];
    const set = (cell: number, tag: number, value: number) =>
      out.push(41, 0, cell >> 8, cell & 255, tag, value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255);
    for (let i = 0; i < BATCH; i++) {
      const [l2, da] = this.#batchGas();
      set(1, 4, l2);
      set(2, 4, da);
      set(3, 0, BATCH_AT + i);
      set(4, 4, 3);
      out.push(57, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 50);
      const results = 100 + 4 * i;
      out.push(32, 0, 0, results, 33, 0, 0, results + 1, 30, 0, 0, results + 2, 10, 30, 0, 0, results + 3, 11);
    }
    set(1, 4, 4 * BATCH);
    out.push(59, 0, 0, 1, 0, 100);
    return toHex(Uint8Array.from(out));
  }

  programs(): RandomCase {
    const addresses = [...Array.from({ length: BATCH }, (_, i) => BATCH_AT + i), ...this.#protocolAddresses()];
    const contracts = addresses.map((address, i) => this.#contract(address, i + 1, this.#program()));
    const used = { da: 96, l2: 540_000 };
    return {
      debugLogs: false,
      given: {
        group: "random",
        name: `programs ${this.#seed * BATCH} to ${this.#seed * BATCH + BATCH - 1}`,
        contracts: [this.#contract(DRIVER, 0, this.#driver()), ...contracts],
        pre: { feePayerBalance: "0xffffffffffff" },
        tx: {
          app: [{ address: hex(DRIVER), calldata: [] }],
          nonRevertible: { nullifiers: ["0x4242"] },
          revertible: {},
          gasLimits: { da: 200_000, l2: 8_000_000 },
          gasUsedByPrivate: used,
          feePayer: hex(FEE_PAYER),
          maxFeesPerGas: { da: 10, l2: 10 },
        },
      },
    };
  }
}

/** Case `seed` of a kind. */
export function randomCase(kind: CaseKind, seed: number, generation: Generation): RandomCase {
  const writer = new CaseWriter(seed, kind, generation);
  return kind === "tx" ? writer.tx() : writer.programs();
}
