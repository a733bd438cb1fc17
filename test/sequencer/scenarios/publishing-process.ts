import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import type { CheckpointToPublish } from "../../../src/sequencer/publisher/types.ts";
import { openRecordedPublisher } from "../support/publishing.ts";

/** Publishes the checkpoint of the file named by its argument, until it is killed. */
const { url, identity, now, dataDirectory, publication, proven } = deserialize(readFileSync(process.argv[2])) as {
  url: string;
  identity: RollupIdentity;
  now: number;
  dataDirectory: string;
  publication: CheckpointToPublish;
  /** Commitment and proofs of the only blob, because loading the KZG library is slow. */
  proven: { commitment: Uint8Array; proofs: Uint8Array[] };
};
const kzg = { load() {}, prove: async () => proven };
const { publisher, close } = await openRecordedPublisher({ url, identity, kzg, now, dataDirectory });
console.log(JSON.stringify(await publisher.publishCheckpoint(publication)));
await close();
