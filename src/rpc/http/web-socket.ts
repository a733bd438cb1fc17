/** What a WebSocket adapter does for the application above it. Two adapters, one test suite. */

/** The node's end of a WebSocket connection. Calls after its end do nothing. */
export interface ServerSocket {
  /** Sends a text message. Its bytes must not change any more. */
  send(text: Uint8Array): void;
  /** The same for bytes of which nobody else has any use: their memory is given back as soon as may be. */
  give(text: Uint8Array): void;
  /** Runs `sends`, whose messages may then leave together. */
  together(sends: () => void): void;
  /** Bytes sent that the system has not taken, because the client does not read them. */
  readonly buffered: number;
  /** Sends a close frame behind what waits; a client that does not take it is cut off after a while. */
  end(code: number, reason: string): void;
}

/** What the application does for one socket. */
export interface SocketHandlers {
  /** A text message; its bytes are valid during the call only. */
  message(text: Uint8Array): void;
  /** Fewer bytes are buffered than before. */
  drained(): void;
  /** The socket is gone, for whatever reason. Called once. */
  closed(): void;
}

/** Close codes of RFC 6455 section 7.4.1 and its registry. */
export const GOING_AWAY = 1001;
export const TEXT_ONLY = 1003;
export const POLICY_VIOLATION = 1008;
export const TRY_AGAIN_LATER = 1013;
