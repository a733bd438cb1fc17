import type { ValuesOf } from "./kinds/option.ts";
import { archiverSettings } from "./rows/archiver.ts";
import { bot } from "./rows/bot.ts";
import { deployment } from "./rows/deployment.ts";
import { execution } from "./rows/execution.ts";
import { followers } from "./rows/follower.ts";
import { general, localNetwork, sync } from "./rows/general.ts";
import { genesis } from "./rows/genesis.ts";
import { l1 } from "./rows/l1.ts";
import { l1Transactions } from "./rows/l1-transactions.ts";
import { logging } from "./rows/logging.ts";
import { mempool } from "./rows/mempool.ts";
import { metrics } from "./rows/metrics.ts";
import { modes } from "./rows/modes.ts";
import { p2p } from "./rows/p2p.ts";
import { agent, broker, prover } from "./rows/prover.ts";
import { admin, rpc } from "./rows/rpc.ts";
import { rpcSockets } from "./rows/rpc-sockets.ts";
import { sequencer } from "./rows/sequencer.ts";
import { sentinel, slasher } from "./rows/slasher.ts";
import { storage } from "./rows/storage.ts";
import { telemetry } from "./rows/telemetry.ts";
import { txCollection } from "./rows/tx-collection.ts";
import { haSigning, validator } from "./rows/validator.ts";
import { worldState } from "./rows/world-state.ts";

/**
 * The table of all options (docs/protocol/09-configuration.md#96-names). Names and defaults are those of the reference
 * node.
 */
export const OPTIONS = {
  ...modes,
  ...general,
  ...rpc,
  ...rpcSockets,
  ...admin,
  ...l1,
  ...l1Transactions,
  ...storage,
  ...sync,
  ...worldState,
  ...archiverSettings,
  ...genesis,
  ...followers,
  ...mempool,
  ...p2p,
  ...txCollection,
  ...sequencer,
  ...validator,
  ...haSigning,
  ...slasher,
  ...sentinel,
  ...prover,
  ...broker,
  ...agent,
  ...bot,
  ...localNetwork,
  ...deployment,
  ...execution,
  ...metrics,
  ...telemetry,
  ...logging,
};

export type OptionKey = keyof typeof OPTIONS;
export type Values = ValuesOf<typeof OPTIONS>;
export const OPTION_KEYS = Object.keys(OPTIONS) as OptionKey[];
