import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Checkpoints } from "../../../src/archiver/tables/checkpoints.ts";
import { LAST_NUMBER_KEY } from "../../../src/archiver/tables/keys.ts";
import type { CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { openStore } from "../../../src/storage/store.ts";
import { seeded } from "../../world/archiver/synthetic-chain.ts";

const signature = new Uint8Array(65).fill(5);

test.each([
  { generation: V4, headerBytes: 316 },
  { generation: V5, headerBytes: 348 },
])("a row of a $generation.name rollup begins with a header of $headerBytes bytes", async (given) => {
  const path = mkdtempSync(join(tmpdir(), "svc-checkpoints-"));
  const store = openStore({ path });
  try {
    const checkpoint: CheckpointRecord = {
      number: 7,
      header: new Uint8Array(given.headerBytes).map((_, i) => i),
      archiveRoot: seeded("archive"),
      outHash: seeded("out hash"),
      startBlock: 9,
      blockCount: 3,
      feeAssetPriceModifier: -2n,
      l1: { number: 1000, timestamp: 1795231704, hash: seeded("L1 block") },
      attestations: [
        { address: new Uint8Array(20), signature },
        { address: new Uint8Array(20).fill(1), signature: undefined },
      ],
    };
    const checkpoints = new Checkpoints(store, given.generation);
    await store.transaction(() => checkpoints.put(checkpoint));
    const plain = (record: unknown) =>
      JSON.stringify(record, (_, v) =>
        v instanceof Uint8Array || v?.type === "Buffer"
          ? toHex(Uint8Array.from(v.data ?? v))
          : typeof v === "bigint"
            ? `${v}`
            : v,
      );
    expect(plain(checkpoints.get(7))).toBe(plain(checkpoint));
    expect(plain(checkpoints.last())).toBe(plain(checkpoint));
    const { header, archiveRoot, outHash, l1 } = checkpoint;
    const words = ["00000009", "00000003", "f".repeat(63), "e", "0000000003e8", "00006b010fd8"].join("");
    expect(toHex(store.table("chain-checkpoints").atOrBefore(LAST_NUMBER_KEY)!.value)).toBe(
      toHex(
        concat(
          ...[header, archiveRoot, outHash, Buffer.from(words, "hex"), l1.hash],
          ...[Buffer.from("00000002", "hex"), new Uint8Array(20), Buffer.of(1), signature],
          ...[new Uint8Array(20).fill(1), Buffer.of(0)],
        ),
      ),
    );
  } finally {
    await store.close();
    rmSync(path, { recursive: true, force: true });
  }
});
