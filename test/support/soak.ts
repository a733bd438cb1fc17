/**
 * A test file that imports this is a soak test, which `npm run test:soak` runs and `npm test` leaves out: long rows of
 * kills, random requests and programs, attacks on whole nodes and lies to them. docs/live-checks.md lists them.
 */

/** Continuous integration runs the short form. */
const IS_SHORT = process.env.SVC_SOAK === "short";

/** What a soak test repeats, or how often: all of it, or less in the short form. */
export const rounds = <T>(whole: T, short: T): T => (IS_SHORT ? short : whole);
