import { equal, toHex } from "../protocol/bytes.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import type { Fr } from "../protocol/field.ts";
import { deployedContracts } from "../protocol/tx/deployed-contracts.ts";
import { type TxTerms, withTerms } from "../protocol/tx/template.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { RECORDED_ON, recordedTxs } from "./recorded-txs.ts";

interface SetUpTerms extends Required<Pick<TxTerms, "anchor" | "chainId" | "version" | "expirationTimestamp">> {
  /** Most that each tx offers per unit of gas. */
  maxFeesPerGas: GasFees;
}

/**
 * The banana token: named BC, of 18 decimals, its admin the first test account
 * (docs/protocol/08-building-and-checkpoints.md#828-local-network).
 */
export const BANANA_TOKEN = "0x1a9dad3d9b9d55021a8ce457225fa3f89d413c05da170fdad413a74aefee2705";
export const BANANA_FEE_CONTRACT = "0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a";

/**
 * The transactions that set up a local network (docs/protocol/08-building-and-checkpoints.md#828-local-network), for
 * any network that checks no proofs and whose genesis funds the three test accounts: 0 publishes the account class and
 * deploys account 0, 1 and 2 deploy accounts 1 and 2, 3 deploys the fee contract, 4 the banana token. Paid by accounts
 * 0, 1, 2, 0, 0. All may share one anchor block, even genesis, and one block; 3 and 4 do not depend on 0.
 */
export function setUpTxs(terms: SetUpTerms): Tx[] {
  return recordedTxs("local-network/set-up-txs.bin.gz").map((tx) => withTerms(tx, terms));
}

/** The set-up transaction that deploys a contract. Throws a RangeError if there is none. */
export function deploymentTx(address: Fr, terms: SetUpTerms): Tx {
  const tx = setUpTxs(terms).find(({ data }) =>
    deployedContracts(data, RECORDED_ON.contracts).some((deployed) => equal(deployed, address)),
  );
  if (tx === undefined) throw new RangeError(`no set-up transaction deploys ${toHex(address)}`);
  return tx;
}
