import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { refuseAbsentParts } from "../../src/config/absent-parts.ts";
import { configure, type Given, secretTexts, shownValue } from "../../src/config/configuration.ts";
import { ConflictingFlagsError, InvalidOptionError, RetiredFlagError } from "../../src/config/errors.ts";
import { type Option, SUBSYSTEMS } from "../../src/config/kinds/option.ts";
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

describe("sources of values", () => {
  /** A value from each source, by descending precedence, of an option that all sources can set. */
  type Source = Omit<Partial<Given>, "flags"> & { flags?: Record<string, string> };
  const SOURCES: Record<"flag" | "environment" | "network file" | "preset", Source> = {
    flag: { flags: { "--p2p.blockDurationMs": "1" } },
    environment: { environment: { SEQ_BLOCK_DURATION_MS: "2" } },
    "network file": { networkFile: { location: "nowhere", variables: { SEQ_BLOCK_DURATION_MS: "3" } } },
    preset: { environment: { NETWORK: "testnet" } },
  };
  const ORDER = ["flag", "environment", "network file", "preset"] as const;
  const VALUES: Record<string, number | undefined> = {
    flag: 1,
    environment: 2,
    "network file": 3,
    preset: 6000,
    default: undefined,
  };
  const subsets = Array.from({ length: 16 }, (_, bits) => ORDER.filter((_, i) => bits & (1 << i)));

  test.each(subsets.map((given) => ({ given })))(
    "among the sources $given the one of highest precedence wins",
    ({ given }) => {
      const parts = given.map((name) => SOURCES[name]);
      // The network file and the preset belong to a network; without one they are not used.
      const network = given.includes("preset") ? "testnet" : given.includes("network file") ? "next-net" : "local";
      const { values, origins } = configure({
        flags: new Map(parts.flatMap((part) => Object.entries(part.flags ?? {}))),
        environment: Object.assign({}, ...parts.map((part) => part.environment), { NETWORK: network }),
        networkFile: parts.find((part) => part.networkFile !== undefined)?.networkFile,
      });
      const winner = given[0] ?? "default";
      expect(values.blockDurationMs).toBe(VALUES[winner]);
      expect(origins.blockDurationMs.kind).toBe(winner);
    },
  );

  test("the origin of a value includes the name that was used", () => {
    const { origins } = given({ "--sequencer.maxL2BlockGas": "1" }, { VALIDATOR_MAX_TX_PER_BLOCK: "0x10" });
    expect(origins.maxL2BlockGas).toEqual({ kind: "flag", name: "--sequencer.maxL2BlockGas" });
    expect(origins.validateMaxTxsPerBlock).toEqual({ kind: "environment", name: "VALIDATOR_MAX_TX_PER_BLOCK" });
    expect(origins.port).toEqual({ kind: "default" });
  });

  test("a fallback variable is read only when the main one is empty", () => {
    const history = (environment: Record<string, string>) => given({}, environment).values.worldStateCheckpointHistory;
    expect(history({ WS_NUM_HISTORIC_CHECKPOINTS: "7", WS_NUM_HISTORIC_BLOCKS: "9" })).toBe(7);
    expect(history({ WS_NUM_HISTORIC_CHECKPOINTS: "", WS_NUM_HISTORIC_BLOCKS: "9" })).toBe(9);
    expect(history({ WS_NUM_HISTORIC_BLOCKS: "-1" })).toBe(-1);
  });

  test("a fallback variable wins over the network file", () => {
    const { values } = configure({
      flags: new Map(),
      environment: { NETWORK: "testnet", SYNC_SNAPSHOTS_URL: "https://own.example" },
      networkFile: { location: "nowhere", variables: { SYNC_SNAPSHOTS_URLS: "https://theirs.example" } },
    });
    expect(values.snapshotsUrls).toEqual(["https://own.example"]);
  });

  test("admin options have two variables, of which this node's own takes precedence", () => {
    const hash = (char: string) => char.repeat(64);
    const { values } = given(
      {},
      {
        SVC_ADMIN_API_KEY_HASH: hash("a"),
        AZTEC_ADMIN_API_KEY_HASH: hash("b"),
        AZTEC_DISABLE_ADMIN_API_KEY: "1",
        SVC_RESET_ADMIN_API_KEY: "0",
        AZTEC_RESET_ADMIN_API_KEY: "1",
      },
    );
    expect(values.adminApiKeyHash?.reveal()).toBe(hash("a"));
    expect(values).toMatchObject({ disableAdminApiKey: true, resetAdminApiKey: false });
    expect(given({ "--reset-admin-api-key": "true" }).values.resetAdminApiKey).toBe(true);
  });

  test("flags with and without a namespace set the same option", () => {
    for (const flag of [
      "--validateMaxTxsPerBlock",
      "--sequencer.validateMaxTxsPerBlock",
      "--p2p.validateMaxTxsPerBlock",
    ]) {
      expect(given({ [flag]: "7" }).values.validateMaxTxsPerBlock).toBe(7);
    }
    const both = { "--maxTxsPerCheckpoint": "7", "--sequencer.maxTxsPerCheckpoint": "7" };
    expect(given(both).values.maxTxsPerCheckpoint).toBe(7);
    expect(() => given({ ...both, "--maxTxsPerCheckpoint": "8" })).toThrow(ConflictingFlagsError);
  });

  test("an empty variable counts as unset, an empty flag is an error", () => {
    expect(given({}, { AZTEC_PORT: " " }).values.port).toBe(8080);
    expect(given({}, { NETWORK: "mainnet", L1_CHAIN_ID: "" }).values.l1ChainId).toBe(1);
    expect(errorOf(() => given({ "--port": "" })).origin).toEqual({ kind: "flag", name: "--port" });
  });

  test("the local network takes nothing from a network file", () => {
    const networkFile = { location: "nowhere", variables: { L1_CHAIN_ID: "5" } };
    expect(configure({ flags: new Map(), environment: {}, networkFile }).values.l1ChainId).toBe(31337);
  });

  test("names of networks are case-insensitive, and unknown ones are refused", () => {
    expect(given({}, { NETWORK: "Mainnet" }).values.network).toBe("mainnet");
    expect(given({ "--network": "alpha-testnet" }).values.network).toBe("testnet");
    expect(errorOf(() => given({ "--network": "moon" })).rule).toContain("must be one of local");
  });
});

describe("names of former releases", () => {
  test.each([
    ["SEQ_TX_POLLING_INTERVAL_MS", "SEQ_POLLING_INTERVAL_MS"],
    ["SEQ_MAX_L1_TX_INCLUSION_TIME_INTO_SLOT", "SEQ_L1_PUBLISHING_TIME_ALLOWANCE_IN_SLOT"],
    ["SEQ_MAX_TX_PER_BLOCK", "SEQ_MAX_TX_PER_CHECKPOINT"],
    ["SEQ_MAX_BLOCK_SIZE_IN_BYTES", "--maxL2BlockGas"],
    ["BOT_BASE_FEE_PADDING", "BOT_MIN_FEE_PADDING"],
    ["VALIDATOR_HA_RUN_MIGRATIONS", "svc migrate-ha-db up"],
    ["VALIDATOR_REEXECUTE_DEADLINE_MS", "no replacement"],
  ])("variable %s of a former release changes nothing, and the warning says %s", (name, replacement) => {
    const { values, warnings } = given({}, { [name]: "77" });
    expect(inspect(values)).toBe(inspect(given({}).values));
    expect(warnings).toEqual([expect.stringContaining(`environment variable ${name} has no effect`)]);
    expect(warnings[0]).toContain(replacement);
  });

  test.each([
    ["--maxBlockSizeInBytes", "--maxL2BlockGas"],
    ["--bot.baseFeePadding", "--bot.minFeePadding"],
  ])("flag %s of a former release is refused, and the error says %s", (name, replacement) => {
    expect(() => given({ [name]: "77" })).toThrow(RetiredFlagError);
    expect(() => given({ [name]: "77" })).toThrow(replacement);
  });

  test.each(["L1_FIXED_PRIORITY_FEE_PER_GAS", "L1_FIXED_PRIORITY_FEE_PER_GAS_GWEI"])(
    "deprecated variable %s still works, with a warning",
    (name) => {
      const { values, warnings } = given({}, { [name]: "77" });
      expect(values.l1TxMinimumPriorityFeeGwei).toBe(77);
      expect(warnings[0]).toBe(`environment variable ${name} is deprecated: use L1_MINIMUM_PRIORITY_FEE_PER_GAS_GWEI`);
    },
  );
});

test.each([
  ["ETHEREUM_HOST", "ETHEREUM_HOSTS"],
  ["P2P_ENABLE", "P2P_ENABLED"],
  ["p2p_enabled", "P2P_ENABLED"],
  ["SVC_RPC_HOSTS", "SVC_RPC_HOST"],
  ["SVC_QWERTYUIOP", expect.stringMatching(/^[A-Z0-9_]+$/)],
])("variable %s looks like a misspelt one and is warned of", (name, nearest) => {
  const { warnings } = given({}, { [name]: "http://user:password@host" });
  const [, suggested] = warnings[0].split("the nearest known one is ");
  expect(warnings).toEqual([`environment variable ${name} is not known; the nearest known one is ${suggested}`]);
  expect(suggested).toEqual(nearest);
});

test("variables of other programs, empty ones and those of a service called svc are no slips", () => {
  const others = {
    PATH: "/bin",
    LOG_LEVELS: "",
    SVC_PORT_8080_TCP_ADDR: "10.0.0.1",
    SVC_RPC_SERVICE_HOST: "10.0.0.1",
    SVC_CONFIG: "x",
    SSL_CERT_FILE: "/x",
  };
  expect(given({}, others).warnings).toEqual([]);
});

test("unknown variables are named up to a number", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`SVC_UNKNOWN_${i}`, "1"]));
  const { warnings } = given({}, many);
  expect(warnings).toHaveLength(21);
  expect(warnings[20]).toBe("10 more unknown environment variables");
});

test("options without effect are named in one warning", () => {
  const { warnings } = given({ "--world-state-data-directory": "/x" }, { LOG_MULTILINE: "1", NETWORK: "testnet" });
  expect(warnings).toEqual(["without effect: --world-state-data-directory, LOG_MULTILINE"]);
  expect(given({ "--port": "1", "--node": "true" }).warnings).toEqual([]);
});

describe("options of missing parts", () => {
  const refusal =
    (flags: Record<string, string>, environment: Record<string, string> = {}) =>
    () =>
      refuseAbsentParts(given(flags, environment));

  test("all options of missing parts are refused together, by name and part", () => {
    expect(
      refusal(
        { "--p2p-enabled": "true", "--txe": "true", "--archiver": "true" },
        { PROVER_NODE_MAX_PENDING_JOBS: "3" },
      ),
    ).toThrow("not available in this version: --archiver (standalone archiver); --txe (test server)");
  });

  test("an option of a missing part is accepted at its default, and from network file and preset", () => {
    expect(refusal({ "--p2p-enabled": "false" }, { P2P_PORT: "40400", NETWORK: "mainnet" })).not.toThrow();
    const networkFile = { location: "x", variables: { BOOTSTRAP_NODES: "enr:-a" } };
    const environment = { NETWORK: "testnet" };
    expect(() => refuseAbsentParts(configure({ flags: new Map(), environment, networkFile }))).not.toThrow();
  });

  test("an option that this node refuses is named with the reason, unless it has its default", () => {
    const given = { P2P_BLOCK_CHECK_INTERVAL_MS: "200", P2P_REQRESP_OPTIMISTIC_NEGOTIATION: "true" };
    expect(refusal({}, given)).toThrow(
      "P2P_BLOCK_CHECK_INTERVAL_MS cannot be set: the pool follows the chain by events, without polling; " +
        "P2P_REQRESP_OPTIMISTIC_NEGOTIATION cannot be set: peers of the network drop what is sent before negotiation is complete",
    );
    expect(refusal({}, { P2P_BLOCK_CHECK_INTERVAL_MS: "100", P2P_L2_QUEUE_SIZE: "1000" })).not.toThrow();
  });

  /** A valid text of the option whose value differs from the default. */
  function otherText({ kind, default: usual }: Option): string | undefined {
    const texts = [
      "true",
      "false",
      "1",
      "2",
      "0.25",
      "https://host.example",
      "file:///x",
      "postgres://host/db",
      "127.0.0.1",
    ];
    const more = [
      "2000",
      "enr:-x",
      "realistic",
      "empire",
      "old",
      `0x${"01".repeat(20)}`,
      "01".repeat(32),
      "1,2,3",
      "x",
    ];
    return [...texts, ...more].find((text) => {
      const value = kind.parse(text);
      return value !== undefined && (usual === undefined || kind.show(value) !== kind.show(usual));
    });
  }

  test("every option of a missing part is refused", () => {
    const absent = OPTION_KEYS.map((key) => OPTIONS[key] as Option).filter(
      ({ usedBy, flags, env }) => !SUBSYSTEMS[usedBy] && flags.length + env.length > 0,
    );
    expect(absent.length).toBeGreaterThan(1);
    for (const option of absent) {
      const [name] = [...option.env, ...option.flags];
      const text = otherText(option) ?? expect.fail(`no text for ${name}`);
      const [flags, environment] = option.env.length === 0 ? [{ [name]: text }, {}] : [{}, { [name]: text }];
      expect(refusal(flags, environment), name).toThrow(`not available in this version: ${name} (${option.usedBy})`);
    }
  });
});

describe("invalid values", () => {
  test("the error of an invalid value names the variable, the rule and the value", () => {
    expect(errorOf(() => given({}, { AZTEC_PORT: "70000" })).message).toBe(
      'environment variable AZTEC_PORT must be a whole decimal number from 0 to 65535; got "70000"',
    );
    expect(errorOf(() => given({ "--registry-address": "0x12" })).message).toBe(
      '--registry-address must be 40 hex digits, with or without 0x; got "0x12"',
    );
  });

  test("the error of an invalid value never shows a secret or a URL that may contain a key", () => {
    const error = errorOf(() => given({}, { ETHEREUM_HOSTS: "htps://rpc.example/v3/0123456789abcdef" }));
    expect(error.message).not.toContain("0123456789abcdef");
    expect(error.message).toContain("38 characters");
  });

  test("the error of an invalid value names the list item and the network file", () => {
    expect(errorOf(() => given({}, { BOOTSTRAP_NODES: "enr:-a,http://x" })).message).toContain("(item 2 of 2)");
    expect(errorOf(() => given({ "--p2p.peerPenaltyValues": "1,2" })).message).toContain("(2 items)");
    const networkFile = { location: "https://file.example", variables: { L1_CHAIN_ID: "x" } };
    expect(
      errorOf(() => configure({ flags: new Map(), environment: { NETWORK: "next-net" }, networkFile })).message,
    ).toContain("L1_CHAIN_ID of the network file https://file.example must be");
  });

  test("the error of an invalid list of namespaces names the rule and the item", () => {
    expect(errorOf(() => given({ "--rpc-namespaces": "node,nodeAdmin" })).message).toBe(
      '--rpc-namespaces must be a comma list of at least one of svc, node, p2p, aztec, provingJobSource; got "node,nodeAdmin" (item 2 of 2)',
    );
    expect(errorOf(() => given({}, { SVC_RPC_NAMESPACES: "," })).message).toContain("at least one of svc, node");
  });

  test("the error of an invalid allow list names the entry and the rule", () => {
    const error = errorOf(() => given({}, { TX_PUBLIC_SETUP_ALLOWLIST: "X:0x01:0x02" }));
    expect(error.fault).toBe(
      'Invalid allow list entry "X:0x01:0x02": unknown type "X". Expected "I" (instance) or "C" (class).',
    );
    expect(error.message).toContain(`environment variable TX_PUBLIC_SETUP_ALLOWLIST ${error.rule}`);
  });

  test("the error of an invalid long value is shortened", () => {
    expect(errorOf(() => given({ "--port": "x".repeat(5000) })).message.length).toBeLessThan(250);
  });
});

describe("shown values", () => {
  const { values } = given(
    { "--l1-rpc-urls": "https://user:password1@rpc.example/v3/0123456789abcdef?key=fedcba98, http://127.0.0.1:8545/" },
    {
      L1_CONSENSUS_HOST_API_KEYS: "first-api-key,second-api-key",
      BLOB_FILE_STORE_URLS: "file:///var/blobs,s3://bucket/prefix?endpoint=https://s3.example",
    },
  );

  test("shown network URLs lose user, path and query; file and bucket locations keep their path", () => {
    expect(shownValue("l1RpcUrls", values)).toBe("https://rpc.example/[Redacted],http://127.0.0.1:8545");
    expect(shownValue("blobFileStoreUrls", values)).toBe("file:///var/blobs,s3://bucket/prefix?[Redacted]");
  });

  test("secrets are redacted in text, JSON and inspection, and listed for the log", () => {
    expect(shownValue("l1ConsensusHostApiKeys", values)).toBe("[Redacted]");
    expect(
      `${values.l1ConsensusHostApiKeys} ${inspect(values)} ${JSON.stringify(values.l1ConsensusHostApiKeys)}`,
    ).not.toContain("first-api-key");
    expect(values.l1ConsensusHostApiKeys?.reveal()).toEqual(["first-api-key", "second-api-key"]);
    expect(secretTexts(values)).toEqual(
      expect.arrayContaining(["v3/0123456789abcdef", "password1", "key=fedcba98", "first-api-key", "second-api-key"]),
    );
  });
});

test("the limits of the JSON-RPC ports are set by flag or variable", () => {
  const limits = ({ values: { rpcMaxConnections, rpcRateLimit, rpcNamespaces } }: ReturnType<typeof given>) => [
    rpcMaxConnections,
    rpcRateLimit,
    rpcNamespaces,
  ];
  expect(limits(given({}))).toEqual([4096, 0, ["svc", "node", "p2p", "aztec"]]);
  const flags = { "--rpc-max-connections": "0", "--rpc-rate-limit": "50", "--rpc-namespaces": "node" };
  expect(limits(given(flags))).toEqual([0, 50, ["node"]]);
  const environment = { SVC_RPC_MAX_CONNECTIONS: "10", SVC_RPC_RATE_LIMIT: "5", SVC_RPC_NAMESPACES: "svc" };
  expect(limits(given({}, environment))).toEqual([10, 5, ["svc"]]);
  expect(() => given({ "--rpc-rate-limit": "-1" })).toThrow("must be a whole decimal number from 0 to 1000000000");
});
