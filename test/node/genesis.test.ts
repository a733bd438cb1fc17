import { beforeAll, expect, test } from "vitest";
import type { Core } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { genesisPublicData } from "../../src/node/genesis.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { ARCHIVE, PUBLIC_DATA_TREE } from "../../src/protocol/constants.ts";
import { genesisState } from "../../src/world-state/genesis.ts";

const TOKEN_FEE_CONTRACT = "0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a";
let core: Core;

beforeAll(() => {
  core = loadCore();
});

test("a network without prefunded accounts has the default genesis", () => {
  const { fork, hash } = genesisState(
    core,
    genesisPublicData(core, { testAccounts: false, sponsoredFpc: false, prefundAddresses: [] }),
  );
  expect(toHex(hash)).toBe("0x2ff681dd7730c7b9e5650c70afa57ee81377792dfc95d98c11817b8c761ff965");
  expect(toHex(fork.snapshot(ARCHIVE).root)).toBe("0x15684c8c3d2106918d3860f777e50555b7166adff47df13cc652e2e5a50bf5c7");
});

/** Constants of docs/protocol/02-trees.md#213-genesis-header-and-constants, read from a running network. */
test("the local network funds the test accounts and two fee contracts, each address once", () => {
  const token = fromHex(TOKEN_FEE_CONTRACT);
  const entries = genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: [token, token] });
  const { fork, hash } = genesisState(core, entries);
  expect(entries).toHaveLength(5);
  expect(toHex(fork.snapshot(PUBLIC_DATA_TREE).root)).toBe(
    "0x0e3dada45d925a46dace5f0b32f8ce2c08ca523206ff4080291766adf731cfae",
  );
  expect(toHex(hash)).toBe("0x117e6b939d3c7895a9f9ca201a7693444d24e96bc81f37cb2af1a5cc51e21cab");
  expect(toHex(fork.snapshot(ARCHIVE).root)).toBe("0x2dbb06108e9a86dfd66387eac78e843c558a4c742514c4d1423e306717362435");
});
