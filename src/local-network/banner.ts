import { contractWords } from "../l1/contract-addresses.ts";
import type { RollupIdentity } from "../l1/types.ts";
import { BANANA_FEE_CONTRACT, BANANA_TOKEN } from "../recorded-txs/set-up-txs.ts";

/**
 * Public test keys, the same on every local network (docs/protocol/08-building-and-checkpoints.md#828-local-network).
 */
export const TEST_ACCOUNTS = [
  {
    address: "0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331",
    secretKey: "0x2153536ff6628eee01cf4024889ff977a18d9fa61d0e414422f7681cf085c281",
  },
  {
    address: "0x00cedf87a800bd88274762d77ffd93e97bc881d1fc99570d62ba97953597914d",
    secretKey: "0x0aebd1b4be76efa44f5ee655c20bf9ea60f7ae44b9a7fd1fd9f189c7a0b0cdae",
  },
  {
    address: "0x1dd551228da3a56b5da5f5d73728e08d8114f59897c27136f1bcdd4c05028905",
    secretKey: "0x0f6addf0da06c33293df974a565b03d1ab096090d907d98055a8b7f4954e120c",
  },
] as const;

const SPONSORED_FEE_CONTRACT = "0x09a4df73aa47f82531a038d1d51abfc85b27665c4b7ca751e2d4fa9f19caffb2";

interface BannerFacts {
  url: string;
  adminUrl: string;
  l1Url: string;
  identity: Pick<RollupIdentity, "l1ChainId" | "rollupVersion" | "addresses">;
  testAccounts: boolean;
  dataDirectory: string | undefined;
  block: number;
  seconds: number;
}

function section(title: string, rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return ["", title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)];
}

/** The facts that a contract developer needs about a network that has just started. */
export function banner(facts: BannerFacts): string {
  const { url, adminUrl, l1Url, identity, testAccounts, dataDirectory, block, seconds } = facts;
  const { l1ChainId, rollupVersion, addresses } = identity;
  const l1: (readonly [string, string])[] = Object.entries(addresses)
    .filter(([, address]) => address !== undefined)
    .map(([name, address]) => [contractWords(name), String(address)]);
  const accounts = TEST_ACCOUNTS.flatMap(({ address, secretKey }, i): [string, string][] => [
    [`account ${i}`, address],
    ["  secret key", secretKey],
  ]);
  return [
    `The local network is ready after ${seconds.toFixed(1)} s, at block ${block}.`,
    ...section("Listening", [
      ["JSON-RPC", url],
      ["admin", adminUrl],
      ["page", `${adminUrl.replace(/\/$/, "")}/ui/`],
      ["L1", l1Url],
    ]),
    ...section("Network", [
      ["L1 chain id", String(l1ChainId)],
      ["rollup version", String(rollupVersion)],
      ["proofs", "none are made or checked"],
      ["data", dataDirectory ?? "kept until it stops (--data-directory keeps them)"],
    ]),
    ...section("Contracts on L1", l1),
    ...section("Accounts and contracts on L2, the keys known to everybody", [
      ...(testAccounts ? accounts : []),
      ["sponsored fees", SPONSORED_FEE_CONTRACT],
      ...(testAccounts
        ? ([
            ["banana token", BANANA_TOKEN],
            ["banana fees", BANANA_FEE_CONTRACT],
          ] as const)
        : []),
    ]),
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n");
}
