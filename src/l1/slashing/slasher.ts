import type { Hex } from "viem";
import { slasherAbi } from "../abi/slashing.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** The contract that may slash stakes of a rollup. Reads throw an L1Error. */
export class Slasher {
  /** Lower-case 0x text. */
  readonly address: string;
  readonly #rpc: L1Rpc;
  readonly #contract: Contract<typeof slasherAbi>;

  constructor(rpc: L1Rpc, address: string) {
    this.#rpc = rpc;
    this.address = address;
    this.#contract = { name: "Slasher", address, abi: slasherAbi };
  }

  /** The contract that decides whom it slashes. */
  async proposer(): Promise<string> {
    return (await read(this.#rpc, this.#contract, "PROPOSER", [])).toLowerCase();
  }

  isVetoed(payload: string): Promise<boolean> {
    return read(this.#rpc, this.#contract, "vetoedPayloads", [payload as Hex]);
  }

  isSlashingEnabled(): Promise<boolean> {
    return read(this.#rpc, this.#contract, "isSlashingEnabled", []);
  }
}
