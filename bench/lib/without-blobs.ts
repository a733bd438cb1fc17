import { Transform } from "node:stream";

/** Members of a blob transaction in anvil's state that belong to its sidecar; `r` follows them. */
const FROM = Buffer.from('"blobs":[');
const TO = Buffer.from('"r":');

/**
 * Drops the sidecars from an anvil state, as a stream, since a long chain's is larger than a string can be. Without
 * them anvil answers like other L1 nodes: a transaction does not contain its blobs.
 */
export function withoutBlobs(): Transform {
  let rest: Buffer = Buffer.alloc(0);
  let isDropping = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let left: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        const mark = isDropping ? TO : FROM;
        const at = left.indexOf(mark);
        if (at === -1) {
          // A mark may be cut in two.
          const kept = Math.min(left.length, mark.length - 1);
          if (!isDropping) this.push(left.subarray(0, left.length - kept));
          rest = Buffer.from(left.subarray(left.length - kept));
          return done();
        }
        if (!isDropping) this.push(left.subarray(0, at));
        left = left.subarray(at);
        isDropping = !isDropping;
      }
    },
    flush(done) {
      if (!isDropping) this.push(rest);
      done();
    },
  });
}
