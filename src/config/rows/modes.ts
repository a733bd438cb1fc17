import { boolean, switchOn } from "../kinds/kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const { withDefault } = rowsOf("Modes", "process");

/** Modes of `svc start` (docs/protocol/09-configuration.md#99-modes). */
export const modes = {
  node: withDefault({ flags: ["--node"], kind: switchOn, to: ["modes.node"], meaning: "run a node" }, false),
  sequencer: withDefault(
    {
      flags: ["--sequencer"],
      kind: switchOn,
      to: ["modes.sequencer"],
      meaning: "also build and attest blocks",
      usedBy: "sequencer",
    },
    false,
  ),
  proverNode: withDefault(
    {
      flags: ["--prover-node"],
      kind: switchOn,
      to: ["modes.proverNode"],
      meaning: "also prove epochs; implies --node",
      usedBy: "prover",
    },
    false,
  ),
  enableProverNode: withDefault(
    {
      env: ["ENABLE_PROVER_NODE"],
      kind: boolean,
      to: ["modes.enableProverNode"],
      meaning: "with --node: also prove epochs",
      usedBy: "prover",
    },
    false,
  ),
  follower: withDefault(
    {
      flags: ["--follower"],
      kind: switchOn,
      meaning: "run a follower: a node without L1 and peers that follows other nodes (FOLLOWER_UPSTREAM_URL)",
      usedBy: "follower",
    },
    false,
  ),
  localNetwork: withDefault(
    {
      flags: ["--local-network"],
      kind: switchOn,
      meaning: "run a complete development network: L1, contracts, block production",
      usedBy: "local network",
    },
    false,
  ),
  archiver: withDefault(
    { flags: ["--archiver"], kind: switchOn, meaning: "run only an archiver", usedBy: "standalone archiver" },
    false,
  ),
  p2pBootstrap: withDefault(
    { flags: ["--p2p-bootstrap"], kind: switchOn, meaning: "run only a bootnode", usedBy: "discovery" },
    false,
  ),
  proverAgent: withDefault(
    {
      flags: ["--prover-agent"],
      kind: switchOn,
      to: ["modes.proverAgent"],
      meaning: "run only proving agents",
      usedBy: "agent",
    },
    false,
  ),
  proverBroker: withDefault(
    {
      flags: ["--prover-broker"],
      kind: switchOn,
      to: ["modes.proverBroker"],
      meaning: "run only a proving broker",
      usedBy: "broker",
    },
    false,
  ),
  rpcOnly: withDefault(
    {
      flags: ["--rpc-only"],
      kind: switchOn,
      meaning: "only serve JSON-RPC, from the data directory of a node that runs on this machine",
      usedBy: "rpc",
    },
    false,
  ),
  bot: withDefault(
    { flags: ["--bot"], kind: switchOn, to: ["modes.bot"], meaning: "run a transaction bot", usedBy: "bot" },
    false,
  ),
  txe: withDefault({ flags: ["--txe"], kind: switchOn, meaning: "run a test server", usedBy: "test server" }, false),
};
