import { boolean, listOf } from "../kinds/kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { l2Address } from "../kinds/protocol-kinds.ts";

const { withDefault } = rowsOf("Genesis", "archiver");

export const genesis = {
  testAccounts: withDefault(
    {
      env: ["TEST_ACCOUNTS"],
      kind: boolean,
      to: ["genesis.testAccounts"],
      meaning: "fund the test accounts in the genesis state",
    },
    false,
  ),
  sponsoredFpc: withDefault(
    {
      env: ["SPONSORED_FPC"],
      kind: boolean,
      to: ["genesis.sponsoredFpc"],
      meaning: "fund the sponsored fee payment contract in the genesis state",
    },
    false,
  ),
  prefundAddresses: withDefault(
    {
      env: ["PREFUND_ADDRESSES"],
      kind: listOf(l2Address),
      to: ["genesis.prefundAddresses"],
      meaning: "additional addresses to fund in the genesis state",
    },
    [],
  ),
};
