import { rollupAbi } from "../abi/rollup.ts";
import { slashingProposerAbi } from "../abi/slashing.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { EmpireProposer } from "./empire-proposer.ts";
import { Slasher } from "./slasher.ts";
import { TallyProposer } from "./tally-proposer.ts";

export type SlashingProposer = TallyProposer | EmpireProposer;

const TALLY = 1;
const ZERO = /^0x0+$/;

/** The slashing contracts of a rollup, which its owner may replace. */
export class SlashingContracts {
  readonly #rpc: L1Rpc;
  readonly #rollup: Contract<typeof rollupAbi>;
  #loaded: { slasher: string; proposer: SlashingProposer | undefined } | undefined;

  constructor(rpc: L1Rpc, rollupAddress: string) {
    this.#rpc = rpc;
    this.#rollup = { name: "Rollup", address: rollupAddress, abi: rollupAbi };
  }

  /** The contract last returned by `current`. */
  get latest(): SlashingProposer | undefined {
    return this.#loaded?.proposer;
  }

  /** The contract that takes votes now; undefined if the rollup has no slasher. Throws an L1Error. */
  async current(): Promise<SlashingProposer | undefined> {
    const slasher = (await read(this.#rpc, this.#rollup, "getSlasher", [])).toLowerCase();
    if (this.#loaded?.slasher !== slasher) {
      const proposer = ZERO.test(slasher) ? undefined : await this.#load(slasher);
      this.#loaded = { slasher, proposer };
    }
    return this.#loaded.proposer;
  }

  async #load(slasherAddress: string): Promise<SlashingProposer> {
    const slasher = new Slasher(this.#rpc, slasherAddress);
    const address = await slasher.proposer();
    const contract = { name: "slashing proposer", address, abi: slashingProposerAbi };
    const type = await read(this.#rpc, contract, "SLASHING_PROPOSER_TYPE", []);
    return type === TALLY
      ? TallyProposer.load(this.#rpc, { address, slasher })
      : EmpireProposer.load(this.#rpc, { address, slasher, rollup: this.#rollup.address });
  }
}
