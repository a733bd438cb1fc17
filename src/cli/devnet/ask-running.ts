import { askDevnet, type ControlRequest } from "../../devnet/control.ts";
import type { DevnetFlags } from "../../devnet/plan.ts";
import { devnetFolder } from "../../devnet/run-devnet.ts";
import { nodeTable } from "../../devnet/table.ts";

/** Asks the running network of a folder and prints its answer. Throws a DevnetError. */
export async function askRunning(request: ControlRequest, flags: DevnetFlags & { json?: true }): Promise<void> {
  const { done, nodes = [] } = await askDevnet(devnetFolder(flags), request);
  if (done !== undefined) process.stdout.write(`${done}\n`);
  else process.stdout.write(flags.json ? `${JSON.stringify(nodes, undefined, 2)}\n` : nodeTable(nodes));
}
