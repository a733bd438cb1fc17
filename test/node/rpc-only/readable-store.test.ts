import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storeOwner } from "../../../src/chain-store/chain-services.ts";
import { openReadable } from "../../../src/node/rpc-only/readable-store.ts";
import { putIdentity, SCHEMA_VERSION, type StoreIdentity } from "../../../src/storage/identity.ts";
import { openStore } from "../../../src/storage/store.ts";
import { ADDRESSES } from "../../world/follower/feed-nodes.ts";

const constants = {
  ...{ l1StartBlock: 0, l1GenesisTime: 0, slotDuration: 72, epochDuration: 4, ethereumSlotDuration: 12 },
  ...{ proofSubmissionEpochs: 1, targetCommitteeSize: 0, rollupManaLimit: 0 },
};
const identity = {
  ...{ l1ChainId: 31337, rollupVersion: 5, addresses: ADDRESSES, constants },
  ...{ l1StartBlockHash: new Uint8Array(32), genesisArchiveRoot: new Uint8Array(32) },
};

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "svc-readable-"));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

/** Opens a store whose identity record differs from the node's record by a change. */
async function opened(change: Partial<StoreIdentity>): Promise<unknown> {
  const store = openStore({ path });
  store.transaction(() => putIdentity(store, { schemaVersion: SCHEMA_VERSION, ...storeOwner(identity), ...change }));
  await store.close();
  return openReadable(path, { mapSizeKb: 1 << 20, identity });
}

test("a store of another generation than the node's record is waited for, with the field that differs", async () => {
  expect(await opened({ generation: "v5" })).toBe(
    "the chain store and the node's record are of different chains: generation is v5 and v4",
  );
});

test("a store of an unknown generation is refused", async () => {
  await expect(opened({ generation: "v9" })).rejects.toMatchObject({
    name: "StoreGenerationError",
    message: expect.stringContaining(`data directory ${path}: protocol v9 is not known to this program`),
  });
});
