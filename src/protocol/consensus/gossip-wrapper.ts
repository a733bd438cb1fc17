import { concat, readU32, writeU32, writeUint } from "../bytes.ts";
import { WireReader } from "./wire-reader.ts";

const SUBJECT = "gossip message";

/** Gossip data before compression: u32 length, payload (docs/protocol/10-peers.md#109-wrapper-and-messages). */
export function wrapMessage(payload: Uint8Array): Uint8Array {
  const out = new Uint8Array(4 + payload.length);
  writeU32(out, 0, payload.length);
  out.set(payload, 4);
  return out;
}

/** The payload, as a view. Bytes after it are ignored. Throws a DecodeError. */
export function unwrapMessage(bytes: Uint8Array): Uint8Array {
  const reader = new WireReader(bytes, SUBJECT);
  return reader.take(reader.u32("length of the payload"), "payload");
}

interface InstrumentedMessage {
  payload: Uint8Array;
  /** Unix milliseconds. */
  sentAt: number;
  /** Empty unless the message is a block proposal. */
  traceContext: string;
}

/** The form of networks that measure their messages: u64 time | u32 length, trace context | u32 length, payload. */
export function wrapInstrumented({ payload, sentAt, traceContext }: InstrumentedMessage): Uint8Array {
  const text = new TextEncoder().encode(traceContext);
  const head = new Uint8Array(12);
  writeUint(head, 2, 6, sentAt);
  writeU32(head, 8, text.length);
  return concat(head, text, wrapMessage(payload));
}

/** Throws a DecodeError. */
export function unwrapInstrumented(bytes: Uint8Array): InstrumentedMessage {
  const reader = new WireReader(bytes, SUBJECT);
  const time = reader.take(8, "time");
  const sentAt = readU32(time, 0) * 2 ** 32 + readU32(time, 4);
  const traceContext = new TextDecoder().decode(
    reader.take(reader.u32("length of the trace context"), "trace context"),
  );
  return { payload: reader.take(reader.u32("length of the payload"), "payload"), sentAt, traceContext };
}
