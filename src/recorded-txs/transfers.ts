import type { Core } from "../core/core.ts";
import { calldataHash } from "../core/derive/call-hashes.ts";
import { bigUintBytes } from "../protocol/bytes.ts";
import type { TxGas } from "../protocol/fees/gas-fees.ts";
import type { Fr } from "../protocol/field.ts";
import { type TxTerms, withCalldata, withFreshEffects, withTerms } from "../protocol/tx/template.ts";
import { withRepeatedCall, withRepeatedEffects } from "../protocol/tx/template-repeat.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { recordedTxs } from "./recorded-txs.ts";

/** Recorded calls of the banana token by its admin, the first test account, in the order of data/transfers.bin.gz. */
export interface TokenTxs {
  /** mint_to_public(account 0, amount). */
  mintToPublic: Tx;
  /** transfer_in_public(account 0, recipient, amount, 0). */
  publicTransfer: Tx;
  /** transfer(recipient, amount). */
  privateTransfer: Tx;
  /** Both transfers. */
  bothTransfers: Tx;
}

export function tokenTxs(): TokenTxs {
  const [mintToPublic, , publicTransfer, privateTransfer, , bothTransfers] = recordedTxs("transfers.bin.gz");
  return { mintToPublic, publicTransfer, privateTransfer, bothTransfers };
}

/** Parameters of one tx with transfers. */
export interface TransferPlan {
  privateTransfers: number;
  publicTransfers: number;
  /** Recipient of the public transfers. */
  recipient: Fr;
  amount: bigint;
  /** If no gas limits are given, the recorded gas is scaled to the number of transfers. */
  terms: TxTerms;
  /** Returns random field elements, for values that must be unique per tx. */
  next: () => Fr;
}

/**
 * Gas of the private part with one transfer (recorded), and of each additional transfer
 * (docs/protocol/07-transactions-and-fees.md#77-gas-of-the-private-part).
 */
const PRIVATE_TRANSFER: Record<"private" | "public", TxGas> = {
  private: { daGas: 1760, l2Gas: 57_900 },
  public: { daGas: 1760, l2Gas: 107_650 },
};
const PUBLIC_CALL: TxGas = { daGas: 0, l2Gas: 20_000 };
/** Gas limits of a public transfer: it uses 86,000 L2 gas and writes three words, plus a margin. */
const PUBLIC_RUN: TxGas = { daGas: 1_000, l2Gas: 110_000 };
const FIRST: Record<"privateTransfer" | "publicTransfer" | "bothTransfers", TxGas> = {
  privateTransfer: { daGas: 1888, l2Gas: 513_900 },
  publicTransfer: { daGas: 128, l2Gas: 590_800 },
  bothTransfers: { daGas: 1888, l2Gas: 698_450 },
};

const plus = (a: TxGas, b: TxGas, times: number): TxGas => ({
  daGas: a.daGas + b.daGas * times,
  l2Gas: a.l2Gas + b.l2Gas * times,
});

/**
 * Builds a tx with at least one transfer, which is valid on networks without proofs. Its private transfers insert
 * random notes and nullifiers that no wallet recognizes; its public transfers move tokens. Throws a TemplateRoomError
 * if the transfers do not fit into a tx.
 */
export function transferTx(core: Core, txs: TokenTxs, plan: TransferPlan): Tx {
  const { privateTransfers, publicTransfers, recipient, amount, terms, next } = plan;
  if (privateTransfers + publicTransfers < 1) throw new RangeError("a tx of transfers has at least one of them");
  const kind = publicTransfers === 0 ? "privateTransfer" : privateTransfers === 0 ? "publicTransfer" : "bothTransfers";
  let tx = txs[kind];
  let gasUsed = FIRST[kind];
  if (privateTransfers > 0) {
    tx = withRepeatedEffects(tx, privateTransfers);
    gasUsed = plus(gasUsed, PRIVATE_TRANSFER[publicTransfers === 0 ? "private" : "public"], privateTransfers - 1);
  }
  if (publicTransfers > 0) {
    tx = withCalldata(
      withRepeatedCall(tx, publicTransfers),
      (calldata) => transferCalldata(calldata, recipient, amount),
      (calldata) => calldataHash(core, calldata),
    );
    gasUsed = plus(gasUsed, PUBLIC_CALL, publicTransfers - 1);
  }
  const gasLimits = plus(gasUsed, PUBLIC_RUN, publicTransfers);
  return withFreshEffects(withTerms(tx, { gasUsed, gasLimits, ...terms }), next);
}

/** transfer_in_public: selector, from, to, amount, nonce. */
function transferCalldata(calldata: Uint8Array, recipient: Fr, amount: bigint): Uint8Array {
  calldata.set(recipient, 64);
  calldata.set(bigUintBytes(amount, 32), 96);
  return calldata;
}

/**
 * Builds a tx that mints public tokens for the first test account. Private transfers need no balance, since their notes
 * are not checked.
 */
export function mintTx(core: Core, txs: TokenTxs, plan: Pick<TransferPlan, "amount" | "terms" | "next">): Tx {
  const { amount, terms, next } = plan;
  const minted = withCalldata(
    txs.mintToPublic,
    (calldata) => {
      calldata.set(bigUintBytes(amount, 32), 64);
      return calldata;
    },
    (calldata) => calldataHash(core, calldata),
  );
  return withFreshEffects(withTerms(minted, terms), next);
}
