/** Statistics were asked for over more slots than the history has. */
export class SlotRangeError extends Error {
  readonly from: number;
  readonly to: number;
  readonly historyLength: number;

  constructor(from: number, to: number, historyLength: number) {
    super(`Slot range (${to - from}) exceeds history length (${historyLength}). Requested range: ${from} to ${to}.`);
    this.name = "SlotRangeError";
    this.from = from;
    this.to = to;
    this.historyLength = historyLength;
  }
}
