import type { RpcAnswer } from "../jsonrpc/answer.ts";
import { release } from "./answer-sink.ts";

/** The answer to a batch, of bodies that are of no other use: their memory is given back. */
export function joined(bodies: readonly Uint8Array[]): RpcAnswer {
  const out = new Uint8Array(bodies.reduce((bytes, { length }) => bytes + length + 1, 1));
  let at = 0;
  for (const body of bodies) {
    out[at] = at === 0 ? 0x5b : 0x2c;
    out.set(body, at + 1);
    at += body.length + 1;
    release({ body });
  }
  out[at] = 0x5d;
  return { status: 200, body: out };
}
