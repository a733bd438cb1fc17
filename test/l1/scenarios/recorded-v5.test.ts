import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { retrieveCheckpoints } from "../../../src/l1/checkpoints/retrieve.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import type { ProposedCheckpoint } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { checkpointHash } from "../../../src/protocol/checkpoint-header.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { readVectors } from "../../protocol/generations/v5/vectors.ts";
import { ServedRecording } from "../../world/l1/served-recording.ts";

const ROLLUP = "0x4ed7c70f96b99c776995fb64377f0d4ab3b0e1c1";

describe("checkpoints of a recorded v5 rollup", () => {
  let l1: ServedRecording;
  let rpc: L1Rpc;
  let found: ProposedCheckpoint[];

  beforeAll(async () => {
    l1 = await ServedRecording.start("chain");
    rpc = new L1Rpc({ urls: [l1.url], logger: silentLogger });
    const constants = { l1GenesisTime: 1795829581, slotDuration: 72 };
    const context = { rpc, debugRpc: rpc, rollupAddress: ROLLUP, committeeSize: 0, constants, logger: silentLogger };
    found = await retrieveCheckpoints({ ...context, generation: V5, l1ChainId: 31337 }, 0, l1.until);
  });

  afterAll(() => l1.stop());

  test("are read from their calls, each bound by the digest in its event", () => {
    const recorded =
      readVectors<
        { number: number; headerBytes: string; headerHash: string; archive: string; attestation: { digest: string } }[]
      >("checkpoints");
    expect(found.map(({ checkpointNumber }) => checkpointNumber)).toEqual(recorded.map(({ number }) => number));
    found.forEach(({ header, archiveRoot, payloadDigest }, i) => {
      expect(toHex(header)).toBe(recorded[i].headerBytes);
      expect(toHex(checkpointHash(header))).toBe(recorded[i].headerHash);
      expect(toHex(archiveRoot)).toBe(recorded[i].archive);
      expect(toHex(payloadDigest)).toBe(recorded[i].attestation.digest);
    });
  });
});
