import { moduleBeside } from "../../threads/module-beside.ts";

/** The file that the thread of the feed runs. */
export function feedThreadEntry(): URL {
  return moduleBeside(import.meta.url, "feed-thread-entry");
}
