import { existsSync } from "node:fs";
import { type Anvil, startAnvil } from "../local-network/anvil.ts";
import { DevelopmentL1 } from "../local-network/development-l1.ts";
import type { NodeLogger } from "../process/logging/logging.ts";
import { DevnetError } from "./errors.ts";
import type { DeployedDevnet, DevnetFolder } from "./folder.ts";
import { L1Clock } from "./l1-clock.ts";
import type { Part, PartState } from "./part.ts";
import { signalGroup } from "./signal-group.ts";

export const L1_CHAIN_ID = 31_337;
/** Everybody has the keys of these words, which deploy the contracts of development chains. */
export const DEPLOYER_MNEMONIC = "test test test test test test test test test test test junk";
/** Finality comes after two epochs of L1. */
const L1_EPOCH_SLOTS = 4;

interface L1PartOptions {
  folder: DevnetFolder;
  port: number;
  /** Seconds; the time of the first block of a new chain. */
  genesis: number;
  log: NodeLogger;
  signal: AbortSignal;
}

/**
 * The development L1 of a network. It saves its chain when it stops, however this program ends, and goes on with the
 * machine's time.
 */
export class L1Part implements Part {
  readonly l1: DevelopmentL1;
  readonly #options: L1PartOptions;
  #anvil: Anvil | undefined;
  #clock: L1Clock | undefined;
  #deployed: DeployedDevnet | undefined;
  #blobChecks: Promise<void> = Promise.resolve();
  #state: PartState = "stopped";
  #endedWith: string | undefined;

  constructor(options: L1PartOptions) {
    const { port, log } = options;
    this.#options = options;
    // Blocks are mined until L1 is stopped, which is after all nodes: not only until the network is told to end.
    this.l1 = new DevelopmentL1(`http://127.0.0.1:${port}`, new AbortController().signal, log);
  }

  get state(): PartState {
    return this.#state;
  }

  get endedWith(): string | undefined {
    return this.#endedWith;
  }

  get pid(): number | undefined {
    return this.#anvil?.pid;
  }

  /** From here on blocks are mined by the clock. `deployed` is on L1. Throws a DevnetError or an L1Error. */
  async follow(deployed: DeployedDevnet): Promise<void> {
    const { folder } = this.#options;
    this.#deployed = deployed;
    if (!(await this.l1.hasCode(deployed.addresses.rollupAddress))) {
      throw new DevnetError(
        `the L1 of the network in ${folder.path} has not the contracts: its chain was not saved when it ended. ` +
          "Remove the folder to begin anew",
      );
    }
    const times = { genesis: deployed.l1GenesisTime, interval: deployed.l1SlotSeconds };
    await this.#blobChecks;
    this.#clock = new L1Clock(this.l1, times, this.#options.log);
    await this.#clock.start();
  }

  async start(): Promise<void> {
    if (this.#anvil !== undefined) return;
    const { folder, port, genesis, log, signal } = this.#options;
    if (this.#deployed !== undefined && !existsSync(folder.l1State)) {
      throw new DevnetError("l1 has no saved chain to start from: it did not end in order");
    }
    this.#state = "starting";
    try {
      const anvil = await startAnvil({
        ...{ port, signal, mnemonic: DEPLOYER_MNEMONIC, chainId: L1_CHAIN_ID, stateFile: folder.l1State },
        ...{ timestamp: genesis, slotsInEpoch: L1_EPOCH_SLOTS },
      });
      this.#anvil = anvil;
      this.#state = "running";
      this.#endedWith = undefined;
      // The first blob would make anvil load its KZG setup, which takes it longer than a slot on a busy machine.
      this.#blobChecks = this.l1.loadBlobChecks(L1_CHAIN_ID).catch((error: unknown) => {
        if (this.#anvil !== undefined) log.warn({ err: error }, "l1 may be late with the first blobs");
      });
      anvil.lost.catch((error: Error) => {
        this.#anvil = undefined;
        this.#state = "ended";
        this.#endedWith = error.message;
        void this.#clock?.stop();
        log.error({ reason: error.message }, "l1 ended by itself: {reason}");
      });
      if (this.#deployed !== undefined) await this.follow(this.#deployed);
    } catch (error) {
      if (this.#anvil === undefined) this.#state = "ended";
      throw error;
    }
  }

  async stop(): Promise<void> {
    // One that stands still would not answer.
    if (this.#anvil !== undefined) signalGroup(this.#anvil.pid, "SIGCONT");
    await this.#clock?.stop();
    await this.#anvil?.stop();
    this.#anvil = undefined;
    this.#state = "stopped";
  }

  async kill(): Promise<void> {
    throw new DevnetError("l1 cannot be killed, since its chain is in its memory until it stops: use stop or restart");
  }
}
