import { dirname, join } from "node:path";
import type { Checks } from "../../world/live/checks.ts";
import { until } from "../../world/live/json-rpc.ts";
import type { LiveNode } from "../../world/live/live-node.ts";
import {
  peersOf,
  type ReferenceControl,
  type ReferenceNetwork,
  type ReferenceNode,
} from "../../world/live/reference-network.ts";
import { lastMeshOf } from "./gossip-evidence.ts";

export interface RestartOptions {
  ours: LiveNode;
  /** Peer id of `ours`. */
  id: string;
  network: ReferenceNetwork;
  file: string;
  control: ReferenceControl;
  checks: Checks;
}

const LIMIT_MS = 180_000;

/** Ends nodes of either side and starts them again: they must be connected and meshed as before. */
export async function restarts({ ours, id, network, file, control, checks }: RestartOptions): Promise<void> {
  const meshedWith = (node: ReferenceNode, since: number) =>
    until(`node ${node.name} has ours in every mesh`, LIMIT_MS, async () =>
      lastMeshOf(join(dirname(file), `data-${node.name}`, "mesh.jsonl"), id, since),
    );
  const connected = (node: ReferenceNode) =>
    until(`ours and node ${node.name} are connected`, LIMIT_MS, async () => {
      const [own, theirs] = await Promise.all([peersOf(ours.url), peersOf(node.url)]);
      return own.has(node.id) && theirs.has(id) && { ours: own.get(node.id), theirs: theirs.get(id) };
    });
  const back = async (since: number, nodes: readonly ReferenceNode[]) => {
    const scores = await Promise.all(nodes.map(connected));
    const connectedAfter = (Date.now() - since) / 1000;
    await Promise.all(nodes.map((node) => meshedWith(node, since)));
    const passed = scores.every((score) => score.ours === 0 && score.theirs === 0);
    return { passed, figures: { connectedAfter, meshedAfter: (Date.now() - since) / 1000, scores } };
  };

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    await checks.of(`after a ${signal} ours is back in all meshes of all reference nodes`, async () => {
      await ours.end(signal);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const since = Date.now();
      ours.start();
      return back(since, network.nodes);
    });
  }
  const [, node] = network.nodes;
  await checks.of("a reference node that was stopped and started is back in a mesh with ours", async () => {
    await control.stop(node.name);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const since = Date.now();
    await control.start(node.name);
    return back(since, [node]);
  });
}
