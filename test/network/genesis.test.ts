import { beforeAll, expect, test } from "vitest";
import type { Core } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { ConfiguredGeneses, feeJuiceBalanceSlot, genesisPublicData } from "../../src/network/genesis.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { ARCHIVE, PUBLIC_DATA_TREE } from "../../src/protocol/constants.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { genesisContent, genesisState } from "../../src/world-state/genesis.ts";

const TOKEN_FEE_CONTRACT = "0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a";
let core: Core;

beforeAll(() => {
  core = loadCore();
});

test("a network without prefunded accounts has the default genesis", () => {
  const { fork, hash } = genesisState(
    core,
    genesisContent(V4, genesisPublicData(core, { testAccounts: false, sponsoredFpc: false, prefundAddresses: [] }, V4)),
  );
  expect(toHex(hash)).toBe("0x2ff681dd7730c7b9e5650c70afa57ee81377792dfc95d98c11817b8c761ff965");
  expect(toHex(fork.snapshot(ARCHIVE).root)).toBe("0x15684c8c3d2106918d3860f777e50555b7166adff47df13cc652e2e5a50bf5c7");
});

/** Constants of docs/protocol/02-trees.md#213-genesis-header-and-constants, read from a running network. */
test("the local network funds the test accounts and two fee contracts, each address once", () => {
  const token = fromHex(TOKEN_FEE_CONTRACT);
  const entries = genesisPublicData(
    core,
    { testAccounts: true, sponsoredFpc: true, prefundAddresses: [token, token] },
    V4,
  );
  const { fork, hash } = genesisState(core, genesisContent(V4, entries));
  expect(entries).toHaveLength(5);
  expect(toHex(fork.snapshot(PUBLIC_DATA_TREE).root)).toBe(
    "0x0e3dada45d925a46dace5f0b32f8ce2c08ca523206ff4080291766adf731cfae",
  );
  expect(toHex(hash)).toBe("0x117e6b939d3c7895a9f9ca201a7693444d24e96bc81f37cb2af1a5cc51e21cab");
  expect(toHex(fork.snapshot(ARCHIVE).root)).toBe("0x2dbb06108e9a86dfd66387eac78e843c558a4c742514c4d1423e306717362435");
});

/** Of the accounts and the sponsored fee contract of 4.1.2, 4.3.0-nightly.20260417 and 4.4.0, given as addresses. */
const GENESIS_ROOTS = [
  "0x139ccd90571b4b64f8392d1b9cc9804a41c7aeb483d8a7dddf255fb3755bbe0d",
  "0x1f73b795e80886130a656b03738b91c542bdebb637c7f1f89aabc60a767d46cb",
  "0x149782a46383931944edd02f4958af41201ff84c65b616af3c3495c1a451d853",
];

/** Addresses of the releases' own packages: accounts and fee contract of 4.1.2, 4.3.0-nightly.20260417 and 4.4.0. */
test.each([
  ["0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331"],
  ["0x1092539b9d20142398c8a8f3e9b0462f1d38cddd587c94b7bc80ff47e6a0b51a"],
  ["0x1fff360b8e1f7c01426157d723037fe8aaa0f5d60a80e32984a11167ccb68222"],
])("the genesis of a rollup whose release has the first test account %s is found by its root", (account) => {
  const geneses = new ConfiguredGeneses(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: [] });
  const slot = feeJuiceBalanceSlot(core, fromHex(account), V4.contracts);
  const found = GENESIS_ROOTS.map((root) => geneses.of(V4, fromHex(root)));
  const matching = found.filter((genesis) => genesis?.publicData.some((entry) => toHex(entry.slot) === toHex(slot)));
  expect(matching).toHaveLength(1);
  expect(matching[0]?.publicData).toHaveLength(4);
});

test("a root of another genesis is not one of the configured ones", () => {
  const none = new ConfiguredGeneses(core, { testAccounts: false, sponsoredFpc: false, prefundAddresses: [] });
  for (const root of GENESIS_ROOTS) expect(none.of(V4, fromHex(root))).toBeUndefined();
  expect(none.of(V4, none.firstRoot(V4))?.publicData).toEqual([]);
});
