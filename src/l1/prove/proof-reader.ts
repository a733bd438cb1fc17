import { type Abi, type Hex, toEventSelector } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { rollupProofsAbi, SUBMISSION_ABI } from "../abi/rollup-proofs.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { RollupIdentity } from "../types.ts";
import { type EpochProof, type EpochProofForm, publicInputArgs } from "./epoch-submission.ts";

/** Topic of the event that L1 emits for every accepted proof. */
export const PROOF_VERIFIED_TOPIC = toEventSelector(
  rollupProofsAbi.find((item) => item.type === "event" && item.name === "L2ProofVerified") as never,
);

/** Reads for a prover. All methods throw an L1Error. */
export class ProofReader {
  readonly #rpc: L1Rpc;
  readonly #form: EpochProofForm;
  readonly #rollup: Contract<typeof rollupProofsAbi>;
  readonly #submission: Contract<Abi>;

  constructor(rpc: L1Rpc, { addresses }: Pick<RollupIdentity, "addresses">, form: EpochProofForm) {
    this.#rpc = rpc;
    this.#form = form;
    this.#rollup = { name: "Rollup", address: addresses.rollupAddress, abi: rollupProofsAbi };
    this.#submission = { ...this.#rollup, abi: SUBMISSION_ABI[form.l1.epochProofTakes] };
  }

  /**
   * The words that L1 gives to the verifier, as of block `at`. Throws a ContractRevertError if it would refuse the
   * arguments.
   */
  async publicInputs(proof: EpochProof, at: number): Promise<Uint8Array[]> {
    const args = publicInputArgs(this.#form, proof);
    const words = await read(this.#rpc, this.#submission, "getEpochProofPublicInputs", args, at);
    return (words as Hex[]).map(fromHex);
  }

  /** Whether a prover (20 bytes) has submitted a proof of the first `length` checkpoints of an epoch. */
  hasSubmitted(epoch: number, length: number, prover: Uint8Array): Promise<boolean> {
    const args = [BigInt(epoch), BigInt(length), toHex(prover) as Hex] as const;
    return read(this.#rpc, this.#rollup, "getHasSubmitted", args);
  }
}
