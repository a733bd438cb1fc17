import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toHex } from "../../protocol/bytes.ts";
import { runProgram } from "./run-program.ts";
import type { WitnessSolver, WitnessTask } from "./witness-solver.ts";

const FILES = { bytecode: "bytecode.acir", inputs: "inputs.toml", witness: "output-witness" } as const;

interface AcvmProgramSettings {
  readonly program: string;
  readonly threads: number;
  readonly limitMs: number;
}

/** Solves with a native `acvm`, which is Noir's command-line tool of this name. */
export class AcvmProgram implements WitnessSolver {
  readonly #settings: AcvmProgramSettings;

  constructor(settings: AcvmProgramSettings) {
    this.#settings = settings;
  }

  async solve(
    { bytecode, inputs }: WitnessTask,
    folder: string,
    signal: AbortSignal,
  ): Promise<{ witness: string; returned: undefined }> {
    await writeFile(join(folder, FILES.bytecode), bytecode);
    await writeFile(join(folder, FILES.inputs), inputsText(inputs));
    const args = [
      "execute",
      ...["--working-directory", folder, "--bytecode", FILES.bytecode],
      ...["--input-witness", FILES.inputs, "--output-witness", FILES.witness],
    ];
    await runProgram({ ...this.#settings, args, folder, signal });
    return { witness: join(folder, `${FILES.witness}.gz`), returned: undefined };
  }

  async close(): Promise<void> {}
}

/** TOML: the number of each wire and its value in hex. */
function inputsText(inputs: Uint8Array): string {
  const lines = Array.from(
    { length: inputs.length / 32 },
    (_, i) => `${i} = '${toHex(inputs.subarray(i * 32, i * 32 + 32))}'\n`,
  );
  return lines.join("");
}
