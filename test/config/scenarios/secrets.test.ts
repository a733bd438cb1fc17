import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { configure, type Given, secretTexts, shownValue } from "../../../src/config/configuration.ts";
import { shownOrigin } from "../../../src/config/errors.ts";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import type { Option } from "../../../src/config/kinds/option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey } from "../../../src/config/options.ts";
import { configurationDocument, helpGroups } from "../../../src/config/reference.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";

/** Options whose whole value is secret: keys, mnemonics, connection strings. */
const SECRETS = OPTION_KEYS.filter((key) => (OPTIONS[key] as Option).kind.name.includes("(secret)"));
/** Options whose value may contain a secret, in a part that is never shown. */
const URLS = OPTION_KEYS.filter((key) => !SECRETS.includes(key) && (OPTIONS[key] as Option).kind.secrets !== undefined);

const token = fc.stringMatching(/^[a-f0-9]{64}$/).filter((text) => new Set(text).size > 4);

/** A valid text of the option that contains the token; undefined if there is none. */
function textWith(key: OptionKey, hidden: string): string | undefined {
  const { kind } = OPTIONS[key] as Option;
  // The leading 0 keeps a field element below the modulus.
  const element = `0x0${hidden.slice(1)}`;
  const candidates = [
    // A plain text is a path for a location, which is not secret.
    ...(SECRETS.includes(key) ? [hidden, element] : []),
    `https://user:${hidden}@host.example/${hidden}?key=${hidden}`,
    `postgresql://user:${hidden}@host.example:5432/db`,
    `s3://bucket/prefix?key=${hidden}`,
  ];
  return candidates.find((text) => kind.parse(text) !== undefined);
}

function given(key: OptionKey, text: string, source: "flag" | "environment" | "network file"): Given | undefined {
  const { flags, env } = OPTIONS[key] as Option;
  if (source === "flag") {
    return flags[0] === undefined ? undefined : { flags: new Map([[flags[0], text]]), environment: {} };
  }
  if (env[0] === undefined) return undefined;
  if (source === "environment") return { flags: new Map(), environment: { [env[0]]: text } };
  const networkFile = { location: "file:///network.json", variables: { [env[0]]: text } };
  return { flags: new Map(), environment: { NETWORK: "next-net" }, networkFile };
}

/** All texts that a configuration produces for humans. */
function outputs(from: Given): string[] {
  const { values, origins, warnings } = configure(from);
  const lines: string[] = [];
  const log = createLogging({
    filter: parseLogFilter("trace"),
    json: false,
    secrets: secretTexts(values),
    write: (line) => lines.push(line),
  })("test");
  for (const key of [...SECRETS, ...URLS]) {
    const value: unknown = values[key];
    log.info({ [key]: value }, `${key} is ${shownValue(key, values)}`);
  }
  // As an error of another library might contain it.
  for (const text of secretTexts(values)) log.error(`connecting to ${text} failed`);
  const shown = OPTION_KEYS.map((key) => `${shownValue(key, values)} ${shownOrigin(origins[key])}`);
  const objects = SECRETS.map((key) => `${inspect(values[key])} ${JSON.stringify(values[key])} ${values[key]}`);
  return [...lines, ...shown, ...objects, ...warnings];
}

const source = fc.constantFrom("flag", "environment", "network file") as fc.Arbitrary<
  "flag" | "environment" | "network file"
>;

test("all keys, mnemonics and connection strings are secret options", () => {
  expect(SECRETS.sort()).toEqual(
    [
      "adminApiKeyHash",
      "awsSecretAccessKey",
      "awsSessionToken",
      "botL1Mnemonic",
      "botL1PrivateKey",
      "botSenderPrivateKey",
      "databaseUrl",
      "l1ConsensusHostApiKeys",
      "localNetworkL1Mnemonic",
      "peerIdPrivateKey",
      "proverBrokerApiKey",
      "proverPublisherPrivateKeys",
      "rpcUpstreamApiKey",
      "sequencerPublisherPrivateKeys",
      "validatorPrivateKeys",
    ].sort(),
  );
});

test("a secret from any source appears in no output and no log line", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SECRETS, ...URLS), token, source, (key, hidden, from) => {
      const text = textWith(key, hidden);
      expect(text, key).toBeDefined();
      const all = given(key, text ?? "", from);
      // Compared without the first digit, which textWith may have changed.
      if (all === undefined) return;
      const leaks = outputs(all).filter((line) => line.includes(hidden.slice(1)));
      expect(leaks).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("a malformed secret from any source appears in no error", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SECRETS, ...URLS),
      token,
      source,
      fc.constantFrom("", " ", "zz", ","),
      (key, hidden, from, noise) => {
        for (const text of [`${noise}nowhere://${hidden}`, `${hidden}${noise}x`, `https//user:${hidden}@host`]) {
          const all = given(key, text, from);
          if (all === undefined) continue;
          try {
            configure(all);
          } catch (error) {
            expect(inspect(error, { depth: 5 })).not.toContain(hidden);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("help and documents contain no default secret", () => {
  const fixed = JSON.stringify(helpGroups()) + configurationDocument();
  expect(fixed).not.toContain("test test test");
});
