import { setTimeout as sleep } from "node:timers/promises";
import { askNode } from "./ask-node.ts";

const LOOK_MS = 500;

interface AttestedCheckpoint {
  number: number;
  slot: number;
  /** Members of the committee whose attestations L1 has. */
  attested: number;
  committee: number;
}

type Answer = { checkpoint?: { header?: { slotNumber?: unknown } }; attestations?: { signature?: unknown }[] }[];

/** r of a signature that is not there is zero. */
const isSigned = (signature: unknown): boolean => /[1-9a-f]/i.test(String(signature ?? "").replace(/^0x/, ""));

async function checkpointOf(port: number, number: number): Promise<AttestedCheckpoint | undefined> {
  const [found] = ((await askNode(port, "node_getCheckpoints", number, 1)) ?? []) as Answer;
  if (found?.attestations === undefined) return undefined;
  const attested = found.attestations.filter(({ signature }) => isSigned(signature)).length;
  return {
    ...{ number, attested, committee: found.attestations.length },
    slot: Number(found.checkpoint?.header?.slotNumber ?? 0),
  };
}

/**
 * Waits for the next checkpoint on L1 that a committee attested, as the first of `ports` that answers sees it. Rejects
 * with the reason of `signal`.
 */
export async function nextAttested(ports: readonly number[], signal: AbortSignal): Promise<AttestedCheckpoint> {
  let from: number | undefined;
  for (;;) {
    for (const port of ports) {
      const latest = await askNode(port, "node_getCheckpointNumber");
      if (typeof latest !== "number") continue;
      from ??= latest;
      const checkpoint = latest > from ? await checkpointOf(port, latest) : undefined;
      if (checkpoint !== undefined && checkpoint.attested > 0) return checkpoint;
      break;
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
