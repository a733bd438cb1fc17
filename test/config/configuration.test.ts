import { describe, expect, test } from "vitest";
import { configure, requireSupportedNetwork, secretTexts, shownValue } from "../../src/config/configuration.ts";
import { ConfigurationError, InvalidOptionError } from "../../src/config/errors.ts";
import type { Option } from "../../src/config/option.ts";
import { OPTION_KEYS, OPTIONS } from "../../src/config/options.ts";

const given = (flags: Record<string, string>, environment: Record<string, string> = {}) =>
  configure({ flags: new Map(Object.entries(flags)), environment });

function errorOf(work: () => unknown): InvalidOptionError {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error("no error");
}

describe("where a value comes from", () => {
  test("a flag wins over the environment, which wins over the default", () => {
    expect(given({ "--port": "1" }, { AZTEC_PORT: "2" })).toMatchObject({
      values: { port: 1 },
      origins: { port: { kind: "flag", name: "--port" } },
    });
    expect(given({}, { AZTEC_PORT: "2" })).toMatchObject({
      values: { port: 2 },
      origins: { port: { kind: "environment", name: "AZTEC_PORT" } },
    });
    expect(given({})).toMatchObject({ values: { port: 8080 }, origins: { port: { kind: "default" } } });
  });

  test("a fallback variable is read only when the main one is empty", () => {
    const history = (environment: Record<string, string>) => given({}, environment).values.worldStateCheckpointHistory;
    expect(history({ WS_NUM_HISTORIC_CHECKPOINTS: "7", WS_NUM_HISTORIC_BLOCKS: "9" })).toBe(7);
    expect(history({ WS_NUM_HISTORIC_CHECKPOINTS: "", WS_NUM_HISTORIC_BLOCKS: "9" })).toBe(9);
    expect(history({ WS_NUM_HISTORIC_BLOCKS: "-1" })).toBe(-1);
  });

  test("an empty variable counts as unset, an empty flag is an error", () => {
    expect(given({}, { AZTEC_PORT: " " }).values.port).toBe(8080);
    expect(errorOf(() => given({ "--port": "" })).origin).toEqual({ kind: "flag", name: "--port" });
  });
});

describe("a value that breaks its rule", () => {
  test("names the variable, the rule and the value", () => {
    expect(errorOf(() => given({}, { AZTEC_PORT: "70000" })).message).toBe(
      'environment variable AZTEC_PORT must be a whole decimal number from 0 to 65535; got "70000"',
    );
    expect(errorOf(() => given({ "--registry-address": "0x12" })).message).toBe(
      '--registry-address must be 0x and 40 hex digits; got "0x12"',
    );
  });

  test("never shows a secret or a URL that may hold a key", () => {
    const error = errorOf(() => given({}, { ETHEREUM_HOSTS: "htps://rpc.example/v3/0123456789abcdef" }));
    expect(error.message).not.toContain("0123456789abcdef");
    expect(error.message).toContain("38 characters");
  });

  test("is cut when it is long", () => {
    expect(errorOf(() => given({ "--port": "x".repeat(5000) })).message.length).toBeLessThan(250);
  });
});

describe("what may be shown", () => {
  const { values } = given(
    { "--l1-rpc-urls": "https://user:password1@rpc.example/v3/0123456789abcdef?key=fedcba98, http://127.0.0.1:8545/" },
    {
      L1_CONSENSUS_HOST_API_KEYS: "first-api-key,second-api-key",
      BLOB_FILE_STORE_URLS: "file:///var/blobs,s3://bucket/prefix?endpoint=https://s3.example",
    },
  );

  test("network URLs lose user, path and query; file and bucket locations keep their path", () => {
    expect(shownValue("l1RpcUrls", values)).toBe("https://rpc.example/[Redacted],http://127.0.0.1:8545");
    expect(shownValue("blobFileStoreUrls", values)).toBe("file:///var/blobs,s3://bucket/prefix?[Redacted]");
  });

  test("secrets are redacted in text, JSON and inspection, and listed for the log", () => {
    expect(shownValue("l1ConsensusHostApiKeys", values)).toBe("[Redacted]");
    expect(`${values.l1ConsensusHostApiKeys} ${JSON.stringify(values)}`).not.toContain("first-api-key");
    expect(values.l1ConsensusHostApiKeys?.reveal()).toEqual(["first-api-key", "second-api-key"]);
    expect(secretTexts(values)).toEqual(
      expect.arrayContaining(["v3/0123456789abcdef", "password1", "key=fedcba98", "first-api-key", "second-api-key"]),
    );
  });
});

describe("the table of options", () => {
  const rows = OPTION_KEYS.map((key) => OPTIONS[key] as Option);

  test("names every flag and every first variable once", () => {
    const names = rows.flatMap(({ flags, env }) => [...flags, ...env]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("gives every row a way to set it and a default that keeps its own rule", () => {
    for (const row of rows) {
      expect(row.flags.length + row.env.length).toBeGreaterThan(0);
      if (typeof row.default === "number") expect(row.kind.parse(String(row.default))).toBe(row.default);
    }
  });

  test("knows the networks, and says that only local ones can be followed so far", () => {
    expect(given({}, { NETWORK: "Mainnet" }).values.network).toBe("mainnet");
    expect(() => requireSupportedNetwork("mainnet")).toThrow(ConfigurationError);
    expect(errorOf(() => given({ "--network": "moon" })).rule).toContain("must be one of local");
  });
});
