import type { Option } from "./kinds/option.ts";
import { nearestName } from "./nearest-name.ts";
import { RETIRED_VARIABLES } from "./retired-names.ts";

/** Variables of the program that no option has: the configuration file itself. */
const OTHER_VARIABLES = ["SVC_CONFIG"];
const OWN_PREFIX = "SVC_";
/** What an orchestrator sets for a service called "svc", "svc-rpc" and the like. */
const SERVICE_LINK = /^SVC_(\w+_)?(SERVICE_(HOST|PORT)|PORT)(_|$)/;
/** A name of another program that is this close to one of ours is more likely a slip. */
const MAX_DISTANCE = 2;
/** Shorter names resemble others by chance. */
const MIN_LENGTH = 8;
const MAX_WARNINGS = 20;

function warningOf(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return undefined;
  const own = name.startsWith(OWN_PREFIX) && !SERVICE_LINK.test(name);
  if (!own && name.length < MIN_LENGTH) return undefined;
  // Most of an environment is of other lengths, and not worth a comparison.
  const near = own ? known : [...known].filter(({ length }) => Math.abs(length - name.length) <= MAX_DISTANCE);
  const nearest = nearestName(name, near);
  if (!own && nearest.distance > MAX_DISTANCE) return undefined;
  return `environment variable ${name.slice(0, 80)} is not known; the nearest known one is ${nearest.name}`;
}

/** A warning for each set variable that looks like a misspelt one of the options in `table`. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  table: Iterable<Pick<Option, "env">>,
): string[] {
  const known = new Set([
    ...OTHER_VARIABLES,
    ...RETIRED_VARIABLES.map(({ name }) => name),
    ...[...table].flatMap(({ env }) => env),
  ]);
  const warnings = Object.keys(environment)
    .filter((name) => environment[name] !== undefined && environment[name] !== "")
    .flatMap((name) => warningOf(name, known) ?? []);
  const more = warnings.length - MAX_WARNINGS;
  return more <= 0 ? warnings : [...warnings.slice(0, MAX_WARNINGS), `${more} more unknown environment variables`];
}
