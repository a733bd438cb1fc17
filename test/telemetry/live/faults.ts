import { execFileSync } from "node:child_process";
import { rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../world/live/json-rpc.ts";
import type { OwnNetwork } from "./own-network.ts";

export interface Fault {
  name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Alert and instance, with the seconds within which it must fire; ascending. */
  expected: { alert: string; windowSeconds: number }[];
  /** Seconds after the end within which no alert fires any more. */
  healSeconds: number;
}

export interface FaultOptions {
  /** By which all windows of the rules are divided. */
  factor: number;
  /** A small file system with the data of node 1; undefined: there is none. */
  disk: string | undefined;
}

const MINUTE = 60;
const ETH = 10n ** 18n;
/** Of the votes on L1. */
const POLLING_SECONDS = 60;

/** The faults, in the order in which they happen to a network. */
export function faults(network: OwnNetwork, { factor, disk }: FaultOptions): Fault[] {
  const of = (alert: string, node: number) => `${alert} ${network.nodes[node].metrics}`;
  const within = (minutes: number) => Math.max(20, (minutes * MINUTE) / factor);
  const configure = (node: number, changes: object) => call(network.nodes[node].admin, "nodeAdmin_setConfig", changes);
  const others = [0, 2, 3];
  const all: (Fault | undefined)[] = [
    disk === undefined ? undefined : fullDisk(disk, of("SvcDiskLow", 1), within(5)),
    {
      name: "an account that publishes has little ether",
      begin: () => network.setBalance(0, ETH / 20n),
      end: () => network.setBalance(0, 1000n * ETH),
      // The balance is read each half minute.
      expected: [{ alert: of("SvcPublisherBalanceLow", 0), windowSeconds: within(5) + 30 }],
      healSeconds: 60,
    },
    {
      name: "two of a node's three peers are killed",
      async begin() {
        for (const node of [2, 3]) await network.nodes[node].kill();
      },
      async end() {
        for (const node of [2, 3]) await network.nodes[node].start();
        await network.running(300_000);
      },
      expected: [
        { alert: of("SvcDown", 2), windowSeconds: within(2) },
        { alert: of("SvcPeersLow", 0), windowSeconds: within(10) },
      ],
      healSeconds: within(60) + 180,
    },
    {
      name: "L1 stops",
      begin: async () => network.pauseL1(),
      end: async () => network.continueL1(),
      expected: [
        { alert: of("SvcL1Flat", 0), windowSeconds: within(4) },
        { alert: of("SvcL1EndpointFailing", 0), windowSeconds: within(10) },
        { alert: of("SvcHeightFlat", 0), windowSeconds: within(17) },
      ],
      healSeconds: within(60) + 240,
    },
    {
      name: "a validator stops to do its duties",
      begin: async () => void (await configure(2, { disabledValidators: [network.nodes[2].attester] })),
      end: async () => void (await configure(2, { disabledValidators: [] })),
      expected: [{ alert: of("SvcAttestationsMissed", 2), windowSeconds: 6 * 24 }],
      healSeconds: within(30) + 120,
    },
    {
      name: "the process of a validator is stopped",
      begin: async () => void process.kill(await network.nodes[3].pid(), "SIGSTOP"),
      end: async () => void process.kill(await network.nodes[3].pid(), "SIGCONT"),
      expected: [{ alert: of("SvcDown", 3), windowSeconds: within(2) }],
      healSeconds: within(30) + 180,
    },
    {
      name: "proposers vote to slash a validator",
      async begin() {
        for (const node of others) await configure(node, { slashValidatorsAlways: [network.nodes[1].attester] });
      },
      async end() {
        for (const node of others) await configure(node, { slashValidatorsAlways: [] });
      },
      // The next proposer votes, and the rule has no window of its own.
      expected: [{ alert: of("SvcSlashVotes", 1), windowSeconds: 3 * 24 + POLLING_SECONDS }],
      // Until the round is over.
      healSeconds: 8 * 24 + POLLING_SECONDS + 60,
    },
  ];
  return all.filter((fault) => fault !== undefined);
}

function fullDisk(disk: string, alert: string, windowSeconds: number): Fault {
  const filler = join(disk, "filler");
  return {
    name: "the disk of a node is nearly full",
    async begin() {
      const { bavail, bsize, blocks } = statfsSync(disk);
      const left = Math.floor(blocks * bsize * 0.03);
      execFileSync("fallocate", ["-l", String(bavail * bsize - left), filler]);
    },
    end: async () => rmSync(filler),
    expected: [{ alert, windowSeconds }],
    healSeconds: 60,
  };
}
