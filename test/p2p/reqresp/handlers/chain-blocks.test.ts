import { expect, test } from "vitest";
import type { BlockRecord } from "../../../../src/archiver/tables/records.ts";
import { blockHandler } from "../../../../src/p2p/reqresp/handlers/block.ts";
import { chainBlocks } from "../../../../src/p2p/reqresp/handlers/chain-blocks.ts";
import { uncompressBlock } from "../../../../src/p2p/streams/snappy-block.ts";
import { concat, equal, readUint } from "../../../../src/protocol/bytes.ts";
import { l2BlockFromBytes } from "../../../../src/protocol/consensus/l2-block.ts";
import { recordedExchanges } from "../../support/recorded.ts";

const recorded = recordedExchanges.filter(({ protocol, chunks }) => protocol.includes("/block/") && chunks.length > 1);
const bodies = await Promise.all(recorded.map(({ chunks }) => uncompressBlock(concat(...chunks.slice(1)), 2 ** 22)));
const blocks = new Map(recorded.map(({ request }, i) => [readUint(request, 26, 6), l2BlockFromBytes(bodies[i])]));

/** A chain of the recorded blocks. */
const chain = {
  block: (number: number) => {
    const block = blocks.get(number);
    return block && ({ ...block, number, hash: block.archiveRoot, txCount: 0 } satisfies BlockRecord);
  },
  blockBody: (number: number) => blocks.get(number)?.words,
  blockNumberByArchive: (root: Uint8Array) => [...blocks].find(([, { archiveRoot }]) => equal(archiveRoot, root))?.[0],
};

test("blocks of a chain are served as they were recorded", async () => {
  const handler = blockHandler(chainBlocks(chain));
  for (const [i, { request }] of recorded.entries()) {
    const answer = await handler({ bytes: request, peer: "peer", room: 2 ** 22, ended: Promise.resolve() });
    expect(Buffer.compare(answer!.body, bodies[i])).toBe(0);
  }
});

test("the txs of a block are found by the archive root after it", () => {
  const served = chainBlocks(chain);
  for (const { archiveRoot, words } of blocks.values()) {
    const hashes = served.txHashesOf(archiveRoot)!;
    expect(hashes.length === 0).toBe(words.length === 0);
  }
  expect(served.txHashesOf(new Uint8Array(32))).toBeUndefined();
  expect(served.block(0)).toBeUndefined();
});
