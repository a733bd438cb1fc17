import type { GenesisRules } from "../genesis.ts";

/** docs/protocol/02-trees.md#213-genesis-header-and-constants. */
export const GENESIS: GenesisRules = {
  blockHash: undefined,
  checkpointHash: "0x002e384af86a480f952aa16443fd29646a9063865e62d7c403fc7ed697bb7712",
  releases: [
    {
      name: "5.2",
      testAccounts: [
        "0x07a9435f1dc1ee5d9f869273bf6001e8ec12d23b93c7896d9016d48eca6f97b3",
        "0x13764e6cf7a32f08d8684870679825dda5ef4e23ba9bd6b42a836aac88fa9244",
        "0x1363e9e876729b7b35853b34b2d2b18268bee76490ef8b44c1701e0f65ac3b0c",
      ],
      sponsoredFpc: "0x2ece607a8dba690c9aa4ee1d53a55286fa815543a27f9364bbaf65eb68e7315b",
    },
  ],
};
