import type { NodeStatus } from "./control.ts";
import { committee } from "./plan.ts";
import type { NetworkFacts } from "./settings.ts";
import { nodeTable } from "./table.ts";

interface SummaryFacts {
  facts: NetworkFacts;
  status: readonly NodeStatus[];
  /** Files of settings of validators that are left to others, by name. */
  left: ReadonlyMap<string, string>;
  /** Port of the network's page. */
  page: number;
  seconds: number;
}

function leftLines({ plan, folder }: NetworkFacts, left: ReadonlyMap<string, string>): string[] {
  if (left.size === 0) return [];
  const { size, quorum } = committee(plan);
  const waits = plan.validators < quorum ? ": until then no checkpoint has enough attestations" : "";
  return [
    "",
    `Left to you are ${left.size} of ${size} validators (${quorum} have to attest)${waits}. In another terminal:`,
    ...[...left].flatMap(([name, file]) => [
      `  . ${file} && svc start --node --sequencer    # ${name}, keys in ${folder.keys(name)}`,
    ]),
  ];
}

/** What a user needs to know of a network whose nodes have started. */
export function summary({ facts, status, left, page, seconds }: SummaryFacts): string {
  const { plan, folder, deployed } = facts;
  const { size, quorum } = committee(plan);
  const { slotSeconds, epochSlots, l1SlotSeconds, addresses, rollupVersion } = deployed;
  return [
    "",
    `All nodes run after ${seconds} s. The committee has ${size} validators, of which ${quorum} have to attest.`,
    `Slots of ${slotSeconds} s, epochs of ${epochSlots} slots, L1 blocks every ${l1SlotSeconds} s.`,
    `Registry ${addresses.registryAddress}, rollup ${addresses.rollupAddress}, version ${rollupVersion}.`,
    "",
    nodeTable(status).trimEnd(),
    "",
    `All of them on one page: http://127.0.0.1:${page}/`,
    ...leftLines(facts, left),
    "",
    `Data, keys and logs are in ${folder.path}; the log of each node is logs/NAME.log there.`,
    "svc devnet status | stop NAME | kill NAME | restart NAME, with the same --data-directory.",
    "Ctrl-C stops the network; the next start continues it.",
    "",
    "",
  ].join("\n");
}
