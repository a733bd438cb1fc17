/** What became of the messages of one topic. */
export interface ReceiveCounts {
  received: number;
  accepted: number;
  ignored: number;
  rejected: number;
  /** Not validated: too many were waiting. */
  dropped: number;
  /** Not validated because it was too late to forward them, or accepted too late to be forwarded. */
  late: number;
}

export function receiveCounts(): ReceiveCounts {
  return { received: 0, accepted: 0, ignored: 0, rejected: 0, dropped: 0, late: 0 };
}
