import { Command } from "commander";
import { orUsageError } from "../arguments/usage-error.ts";

export function decodeEnrCommand(): Command {
  return new Command("decode-enr")
    .description("print what a node record says")
    .argument("<enr>", "text of the record")
    .action((text: string) =>
      orUsageError(async () => {
        const { recordLines } = await import("../peers/record-lines.ts");
        process.stdout.write(`${recordLines(text).join("\n")}\n`);
      }),
    );
}
