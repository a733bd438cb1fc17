import type { GenesisRules } from "../genesis.ts";

/** docs/protocol/02-trees.md#213-genesis-header-and-constants. */
export const GENESIS: GenesisRules = {
  blockHash: "0x2ff681dd7730c7b9e5650c70afa57ee81377792dfc95d98c11817b8c761ff965",
  checkpointHash: "0x007802c95d2f1ade746d97350a18ddbfdb9f5bee2803436917a3cf3d6a685a3a",
  releases: [
    {
      name: "4.1.2",
      testAccounts: [
        "0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331",
        "0x00cedf87a800bd88274762d77ffd93e97bc881d1fc99570d62ba97953597914d",
        "0x1dd551228da3a56b5da5f5d73728e08d8114f59897c27136f1bcdd4c05028905",
      ],
      sponsoredFpc: "0x09a4df73aa47f82531a038d1d51abfc85b27665c4b7ca751e2d4fa9f19caffb2",
    },
    {
      name: "4.3.0-nightly.20260417",
      testAccounts: [
        "0x1092539b9d20142398c8a8f3e9b0462f1d38cddd587c94b7bc80ff47e6a0b51a",
        "0x1ab69f69c4c2c86e1b96355ad1766108de07742ec1128a46b0eca49a53157673",
        "0x0c654565251db9e371ac91fafd0bf7b8ff741282d0774f757daf659d9dee80d9",
      ],
      sponsoredFpc: "0x254082b62f9108d044b8998f212bb145619d91bfcd049461d74babb840181257",
    },
    {
      name: "4.4.0",
      testAccounts: [
        "0x1fff360b8e1f7c01426157d723037fe8aaa0f5d60a80e32984a11167ccb68222",
        "0x2793c97780e912bb765216488ca53dea52c70bb2f05d79f1b75002a8ae638db0",
        "0x0b68cde3ea7ef259eb4e8c5afca2ddde4853e695119037c8598fbe0a14fa4ff7",
      ],
      sponsoredFpc: "0x08b888c4be63ed67f61a622fdd013ea028326bac22a8982a3b5a7e9ec62f765b",
    },
  ],
};
