import { askDevnet, type ControlRequest, untilStopped } from "../../devnet/control.ts";
import type { DevnetFlags } from "../../devnet/plan.ts";
import { devnetFolder } from "../../devnet/run-devnet.ts";
import { nodeTable } from "../../devnet/table.ts";

/**
 * Asks the running network of a folder and prints its answer; a stop of all of it is waited for. Throws a DevnetError.
 */
export async function askRunning(request: ControlRequest, flags: DevnetFlags & { json?: true }): Promise<void> {
  const folder = devnetFolder(flags);
  const { done, nodes = [] } = await askDevnet(folder, request);
  if (done !== undefined) process.stdout.write(`${done}\n`);
  else process.stdout.write(flags.json ? `${JSON.stringify(nodes, undefined, 2)}\n` : nodeTable(nodes));
  if (request.action !== "stop" || request.name !== undefined) return;
  await untilStopped(folder);
  process.stdout.write("the network has ended\n");
}
