import { call, until } from "../../world/live/json-rpc.ts";
import type { LiveNode } from "../../world/live/live-node.ts";
import { peersOf, type ReferenceControl } from "../../world/live/reference-network.ts";

/** A node of a pair. */
export interface Member {
  /** Its id in the database. */
  readonly name: string;
  kill(): Promise<void>;
  /** Resolves when it is connected to the others. */
  start(): Promise<void>;
  /** Whether its process lives. */
  runs(): Promise<boolean>;
}

/** A key on two nodes with one database. */
export interface Pair {
  /** The validator's address, lower-case 0x text. */
  attester: string;
  /** Name and URL of the database. */
  database: string;
  url: string;
  members: readonly [Member, Member];
}

/** Settings of a node of a pair. */
export function pairSettings(url: string, name: string): Record<string, string> {
  return { VALIDATOR_HA_SIGNING_ENABLED: "true", VALIDATOR_HA_DATABASE_URL: url, VALIDATOR_HA_NODE_ID: name };
}

/** A node of this project. It is connected when it has all of `peers`. */
export function ownMember(node: LiveNode, peers: readonly string[]): Member {
  return {
    name: node.options.name,
    async kill() {
      await node.end("SIGKILL");
    },
    async start() {
      node.start();
      await node.connectedTo(peers);
    },
    runs: async () => node.isRunning,
  };
}

const CONNECTED_MS = 120_000;
const ANSWER_MS = 10_000;

/** A reference node with the number `number` in its network. */
export function referenceMember(
  { control, number, url, name }: { control: ReferenceControl; number: string; url: string; name: string },
  settings: Record<string, string>,
): Member {
  return {
    name,
    kill: () => control.stop(number, "SIGKILL"),
    async start() {
      await control.start(number, settings);
      await until(`reference node ${number} has peers`, CONNECTED_MS, async () => (await peersOf(url)).size > 0);
    },
    async runs() {
      const answers = until("an answer", ANSWER_MS, async () => (await call(url, "node_isReady")) === true);
      return answers.catch(() => false);
    },
  };
}
