import { type RequestProtocol, RequestStatus } from "../peers/request-client.ts";
import { PROTOCOLS } from "./protocols.ts";

/** Requests of one protocol since the start. */
interface ProtocolCounts {
  sent: number;
  /** Sent, without a usable answer. */
  failedOutbound: number;
  received: number;
  /** Received, and answered with an error or not at all. */
  failedInbound: number;
}

export type RequestCounts = Readonly<Record<RequestProtocol, ProtocolCounts>>;

export function requestCounts(): RequestCounts {
  const names = Object.keys(PROTOCOLS) as RequestProtocol[];
  const none = (): ProtocolCounts => ({ sent: 0, failedOutbound: 0, received: 0, failedInbound: 0 });
  return Object.fromEntries(names.map((name) => [name, none()])) as unknown as RequestCounts;
}

/** Whether an answer with this status is what the protocol has for the request: having nothing is an answer too. */
export function isAnswered(status: number | undefined): boolean {
  return status === RequestStatus.SUCCESS || status === RequestStatus.NOT_FOUND;
}
