import { ContentError } from "../../errors/content-error.ts";

/** A frame, or a request for the feed, breaks a rule of docs/feed.md. */
export class FrameError extends ContentError {
  override readonly errorCode: string = "feed-frame";

  readonly field: string;
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field} ${rule}`);
    this.name = "FrameError";
    this.field = field;
    this.rule = rule;
  }
}
