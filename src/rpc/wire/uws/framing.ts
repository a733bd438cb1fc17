import type * as uws from "uWebSockets.js";

let lengths = 0;
let codings = 0;
let coding = "";

/** One function for all requests: the library calls it for each header, with its name in lower case. */
function note(name: string, value: string): void {
  if (name.length === 14 && name === "content-length") lengths += 1;
  else if (name.length === 17 && name === "transfer-encoding") {
    codings += 1;
    coding = value;
  }
}

/**
 * True if exactly one Content-Length or Transfer-Encoding (request smuggling). The library takes the first of several
 * Content-Lengths, and reads a body of any Transfer-Encoding as chunked; a proxy in front may disagree and take the
 * rest for another request. The library itself refuses a request that has both, and a Content-Length that is not a
 * number.
 */
export function hasCertainLength(req: uws.HttpRequest): boolean {
  lengths = 0;
  codings = 0;
  req.forEach(note);
  return lengths <= 1 && (codings === 0 || (codings === 1 && coding.toLowerCase() === "chunked"));
}
