import { boolean, listOf } from "../kinds.ts";
import { rowsOf } from "../option.ts";
import { l2Address } from "../protocol-kinds.ts";

const { withDefault } = rowsOf("Genesis", "archiver");

export const genesis = {
  testAccounts: withDefault(
    {
      env: ["TEST_ACCOUNTS"],
      kind: boolean,
      meaning: "the network's genesis funds the test accounts",
    },
    false,
  ),
  sponsoredFpc: withDefault(
    {
      env: ["SPONSORED_FPC"],
      kind: boolean,
      meaning: "the network's genesis funds the sponsored fee contract",
    },
    false,
  ),
  prefundAddresses: withDefault(
    {
      env: ["PREFUND_ADDRESSES"],
      kind: listOf(l2Address),
      meaning: "further addresses that the network's genesis funds",
    },
    [],
  ),
};
