import { encoder } from "../../codecs/json/encoder.ts";
import { about, listOf, record, TEXT } from "../../codecs/json/json-schema.ts";
import { DECIMAL, ETH_ADDRESS, FIELD, L2_ADDRESS } from "../../codecs/json/scalars.ts";
import type { FeeJuiceClaim, LocalAccounts } from "../ports/local-network-control.ts";

const L1_ACCOUNT = record("LocalL1Account", "An account that the L1 of a local network signs for.", {
  address: ETH_ADDRESS,
  balance: about(DECIMAL, "In wei."),
});
const L2_ACCOUNT = record(
  "LocalL2Account",
  "An account or contract of a local network's set-up.",
  {
    name: about(TEXT, "What it is called."),
    address: L2_ADDRESS,
    feeJuice: about(DECIMAL, "In units of the fee asset."),
  },
  { secretKey: about(FIELD, "Of an account; known to everybody.") },
);
const ACCOUNTS = record("LocalAccounts", "Accounts of a local network.", {
  l1: about(listOf(L1_ACCOUNT), "Those on L1."),
  l2: about(listOf(L2_ACCOUNT), "Those on L2."),
});
export const encodeAccounts = encoder<LocalAccounts>(
  ACCOUNTS,
  (out, { l1, l2 }) =>
    void out.value({
      l1: l1.map(({ address, balance }) => ({ address, balance: String(balance) })),
      l2: l2.map((account) => ({ ...account, feeJuice: String(account.feeJuice) })),
    }),
);

const CLAIM = record("FeeJuiceClaim", "What claims deposited fee juice on L2, once a block has the message.", {
  amount: about(DECIMAL, "In units of the fee asset."),
  secret: FIELD,
  secretHash: FIELD,
  messageHash: FIELD,
  leafIndex: about(DECIMAL, "Of the message in its tree."),
});
export const encodeClaim = encoder<FeeJuiceClaim>(
  CLAIM,
  (out, { amount, leafIndex, ...texts }) =>
    void out.value({ ...texts, amount: String(amount), leafIndex: String(leafIndex) }),
);
