import type { CallRecord } from "../../../src/execution/vm/call-records.ts";
import { decodeInstruction } from "../../../src/execution/vm/disassemble.ts";
import type { VmHost } from "../../../src/execution/vm/host.ts";
import { type InstructionForm, instructionsOf } from "../../../src/execution/vm/instruction-set.ts";
import type { RunOptions, RunRequest, RunResult } from "../../../src/execution/vm/run.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import type { GivenTx } from "../../world/execution/avm-vectors.ts";

const OUT_OF_GAS = /^Out of gas/;
/** Texts of frames that began no instruction. */
const NO_PROGRAM = /^(Contract 0x|Can't retrieve)/;

/** A text of a halt without its numbers. */
function kindOf(message: string): string {
  return message
    .replace(/0x[0-9a-f]+/g, "N")
    .replace(/\d+/g, "N")
    .replace(/\b(FIELD|FF|[uU](1|8|16|32|64|128|N))\b/g, "T")
    .slice(0, 90);
}

function add(counts: Map<string, number>, key: string, count = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Counts what random cases reached. */
export class Coverage {
  /** By opcode. */
  readonly executed: number[];
  readonly #outOfGas: number[];
  readonly #halts: Map<string, number>[];
  readonly #ends = new Map<string, number>();
  readonly #instructions: readonly InstructionForm[];

  constructor({ execution }: Pick<Generation, "execution">) {
    this.#instructions = instructionsOf(execution.vm);
    this.executed = this.#instructions.map(() => 0);
    this.#outOfGas = this.#instructions.map(() => 0);
    this.#halts = this.#instructions.map(() => new Map());
  }

  /** A frame that halted at an instruction of its bytecode. */
  halted({ haltMessage = "", exitPcs }: CallRecord, bytecode: Uint8Array | undefined): void {
    if (haltMessage === "") return;
    const pc = exitPcs[exitPcs.length - 1];
    const decoded = bytecode && !NO_PROGRAM.test(haltMessage) && decodeInstruction(this.#instructions, bytecode, pc);
    if (!decoded || typeof decoded === "string") {
      this.ended(haltMessage);
      return;
    }
    const opcode = this.#instructions.indexOf(decoded.form);
    if (OUT_OF_GAS.test(haltMessage)) this.#outOfGas[opcode]++;
    else add(this.#halts[opcode], kindOf(haltMessage));
  }

  /** Another outcome, of a frame or of a transaction. */
  ended(how: string): void {
    add(this.#ends, kindOf(how));
  }

  missing(): string[] {
    return this.#instructions.flatMap(({ name }, opcode) => (this.executed[opcode] === 0 ? [name] : []));
  }

  table(): string {
    const rows = this.#instructions.map(({ name }, opcode) => {
      const halts = [...this.#halts[opcode]].sort(([, a], [, b]) => b - a);
      const texts = halts.map(([kind, count]) => `${kind.trim()} ${count}`);
      return `${name.padEnd(20)} ${String(this.executed[opcode]).padStart(9)} ${String(this.#outOfGas[opcode]).padStart(7)}  ${texts.join("; ")}`;
    });
    const ends = [...this.#ends]
      .sort(([, a], [, b]) => b - a)
      .map(([how, count]) => `${String(count).padStart(9)} ${how}`);
    return ["instruction           executed no gas  other halts", ...rows, "other ends", ...ends].join("\n");
  }
}

/** A VM that runs instruction by instruction and counts them and how frames end. */
export class CountingVm extends Vm {
  readonly #coverage: Coverage;
  #contracts: GivenTx["contracts"] = [];

  constructor(generation: Generation, coverage: Coverage) {
    super(generation);
    this.#coverage = coverage;
  }

  /** The case whose calls are run from now on. */
  on({ contracts }: GivenTx): this {
    this.#contracts = contracts;
    return this;
  }

  override run(request: RunRequest, host: VmHost, options: RunOptions = {}): RunResult {
    const { executed } = this.#coverage;
    const trace: RunOptions["trace"] = ({ bytecode, pc }) => {
      if (bytecode[pc] < executed.length) executed[bytecode[pc]]++;
    };
    const { roots = [] } = options.calls ?? {};
    const before = roots.length;
    const result = super.run(request, host, { ...options, trace });
    for (const root of roots.slice(before)) this.#count(root);
    return result;
  }

  #count(call: CallRecord): void {
    const address = BigInt(toHex(call.contract));
    const bytecode = this.#contracts.find((contract) => BigInt(contract.address) === address)?.bytecode;
    this.#coverage.halted(call, typeof bytecode === "string" ? fromHex(bytecode) : undefined);
    for (const nested of call.nested) this.#count(nested);
  }
}
