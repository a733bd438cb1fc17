/** What a WebSocket adapter does for the application above it. Two adapters, one test suite. */

/** The node's end of a WebSocket connection. Calls after its end do nothing. */
export interface ServerSocket {
  /** Sends a text message. Its bytes must not change any more. */
  send(text: Uint8Array): void;
  /** The same for bytes that belong to this message alone: their memory is freed as soon as they are sent. */
  give(text: Uint8Array): void;
  /** Runs `sends`, whose messages may then leave together. */
  together(sends: () => void): void;
  /** Bytes sent that the system has not taken, because the client does not read them. */
  readonly buffered: number;
  /** Sends a close frame behind what waits; a client that does not take it is cut off after a while. */
  end(code: number, reason: string): void;
}

/** Why the node ends a socket that its client still wants. Values of a metric's label. */
export const SOCKET_CUTS = ["control_frames", "unread", "unfinished", "too_long", "calls", "busy"] as const;
export type SocketCut = (typeof SOCKET_CUTS)[number];

/** What the application does for one socket. */
export interface SocketHandlers {
  /** A text message; its bytes are valid during the call only. */
  message(text: Uint8Array): void;
  /** A ping or pong of the client. Whether a ping may be answered; the socket is ended when not. */
  control(): boolean;
  /** Fewer bytes are buffered than before. */
  drained(): void;
  /** Ends the socket for what the client does, which is counted and logged. */
  cut(cause: SocketCut, code: number, reason: string): void;
  /** Counts and logs that the adapter has ended the socket for what the client did. */
  wasCut(cause: SocketCut, reason: string): void;
  /** The socket is gone, for whatever reason. Called once. */
  closed(): void;
}

/** Close codes of RFC 6455 section 7.4.1 and its registry. */
export const GOING_AWAY = 1001;
export const TEXT_ONLY = 1003;
export const POLICY_VIOLATION = 1008;
export const TRY_AGAIN_LATER = 1013;

/** Reason for closing a socket whose client began something that it did not complete. */
export const UNFINISHED = "a message, or the answer to a ping, was not completed in time";

/**
 * Control frames of a client whose socket has been ended and waits for its close frame to be taken. With one more it is
 * cut off.
 */
export const LATE_CONTROL_FRAMES = 16;
