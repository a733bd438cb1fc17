import { boolean, path } from "../kinds/kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const { optional, withDefault } = rowsOf("Execution", "execution");

export const execution = {
  debugForceTxProofVerification: withDefault(
    {
      env: ["DEBUG_FORCE_TX_PROOF_VERIFICATION"],
      kind: boolean,
      to: ["proofs.verifier.forced"],
      meaning: "verify the proofs of txs even if proofs are simulated",
      usedBy: "mempool",
    },
    false,
  ),
  dumpAvmInputsToDir: optional({
    env: ["DUMP_AVM_INPUTS_TO_DIR"],
    kind: path,
    meaning: "folder to write the inputs of the public VM to",
  }),
};
