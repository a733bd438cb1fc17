import { Command } from "commander";
import { orUsageError } from "../arguments/usage-error.ts";

interface ProtocolFlags {
  protocol: string;
}

interface RunFlags extends ProtocolFlags {
  trace?: true;
  calldata: string;
  gas: string;
  address: string;
  sender: string;
  static?: true;
}

const PROTOCOL_OPTION = [
  "--protocol <generation>",
  "name of the generation of the protocol that the bytecode is for",
  "v4",
] as const;
const DEFAULT_GAS = "6000000";
const DEFAULT_DA_GAS = 196_608;

function disassembleCommand(): Command {
  return new Command("disassemble")
    .description("list the instructions of a bytecode")
    .argument("<code>", "hex, or a file with hex or bytes")
    .option(...PROTOCOL_OPTION)
    .action((code: string, flags: ProtocolFlags) =>
      orUsageError(async () => {
        const { bytecodeOf, protocolOf } = await import("../vm/vm-input.ts");
        const { disassemble } = await import("../../execution/vm/disassemble.ts");
        const { instructionsOf } = await import("../../execution/vm/instruction-set.ts");
        const instructions = instructionsOf(protocolOf("--protocol", flags.protocol).execution.vm);
        for (const { pc, text } of disassemble(instructions, bytecodeOf(code)))
          process.stdout.write(`${pc}\t${text}\n`);
      }),
    );
}

function runCommand(): Command {
  return new Command("run")
    .description("run a bytecode as the only contract of an empty world")
    .argument("<code>", "hex, or a file with hex or bytes")
    .option(...PROTOCOL_OPTION)
    .option("--trace", "print every instruction with the gas before it and the cells that it writes")
    .option("--calldata <fields>", "field elements between commas, decimal or 0x hex", "")
    .option("--gas <l2[,da]>", "gas that the call may use", DEFAULT_GAS)
    .option("--address <field>", "the contract's own address", "0x1001")
    .option("--sender <field>", "who calls", "0x1")
    .option("--static", "in a static context")
    .action((code: string, flags: RunFlags) =>
      orUsageError(async () => {
        const { bytecodeOf, fieldOf, fieldsOf, gasOf, protocolOf } = await import("../vm/vm-input.ts");
        const { runProgram } = await import("../vm/run-program.ts");
        const run = {
          generation: protocolOf("--protocol", flags.protocol),
          bytecode: bytecodeOf(code),
          address: fieldOf("--address", flags.address),
          sender: fieldOf("--sender", flags.sender),
          calldata: fieldsOf("--calldata", flags.calldata),
          isStatic: flags.static === true,
          gas: gasOf("--gas", flags.gas, DEFAULT_DA_GAS),
        };
        runProgram(run, flags.trace === true, (line) => process.stdout.write(`${line}\n`));
      }),
    );
}

/** Tools for the bytecode of the public VM. */
export function vmCommand(): Command {
  return new Command("vm")
    .description("look at and run bytecode of the public VM")
    .addCommand(disassembleCommand())
    .addCommand(runCommand());
}
