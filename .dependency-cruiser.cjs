/**
 * Rungs of the house, top to bottom (docs/architecture.md). A folder imports itself and folders of the rungs below its own;
 * never one above, and never a sibling on its own rung.
 */
const rungs = [
  ["cli"],
  ["modes", "devnet"],
  ["local-network"],
  ["node"],
  ["bot", "network", "snapshots"],
  ["process"],
  ["chain-store"],
  ["rpc", "status"],
  ["sequencer", "validator", "slasher", "prover", "follower"],
  ["p2p"],
  ["mempool", "checkpoints"],
  ["execution"],
  ["archiver"],
  ["world-state"],
  ["l1", "recorded-txs"],
  ["storage", "keystore", "core"],
  ["endpoints"],
  ["telemetry", "http", "threads", "protocol"],
  ["errors", "events", "json"],
];
const upward = rungs.flatMap((names, i) =>
  names.map((name) => ({
    name: `${name}-imports-a-sibling-or-up`,
    severity: "error",
    from: { path: `^src/${name}/` },
    to: {
      path: `^src/(${rungs
        .slice(0, i + 1)
        .flat()
        .filter((other) => other !== name)
        .join("|")})/`,
    },
  })),
);

/**
 * Rungs inside a room, top to bottom, by folder: a file imports its own folder and the rungs below. What stands in the room
 * itself composes and is imported from outside only. That no two folders of any room import each other is checked by
 * scripts/lint-folders.ts; this is for rooms whose order is to stay as it is.
 */
const rooms = {
  rpc: [
    ["threads"],
    ["server"],
    ["keys", "admin", "forward", "methods/messages"],
    ["subscriptions", "admin/codecs", "methods/node", "methods/proving"],
    ["routes", "remote", "wire/uws", "wire/node", "admin/ports", "methods/contracts", "methods/world-state"],
    ["wire", "methods/chain", "methods/logs", "methods/txs", "admin/config"],
    ["calls", "codecs/development"],
    ["openrpc", "codecs/release"],
    ["registry", "codecs/shared"],
    ["codecs/json"],
    ["limits", "ports"],
    ["cache", "jsonrpc"],
  ],
};
const either = (folders) => `(${folders.join("|")})`;
const insideRooms = Object.entries(rooms).flatMap(([room, rungs]) => [
  ...rungs.flatMap((names, i) =>
    names.map((name) => ({
      name: `${room}/${name}-imports-a-sibling-or-up`,
      severity: "error",
      from: { path: `^src/${room}/${name}/[^/]+$` },
      to: {
        path: `^src/${room}/(${either(
          rungs
            .slice(0, i + 1)
            .flat()
            .filter((other) => other !== name),
        )}/)?[^/]+$`,
      },
    })),
  ),
  {
    name: `${room}-has-a-folder-without-a-rung`,
    severity: "error",
    from: { path: `^src/${room}/.+/`, pathNot: `^src/${room}/${either(rungs.flat())}/[^/]+$` },
    to: {},
  },
]);

/** Folders that take values, never the configuration. */
const services = ["snapshots", ...rungs.slice(rungs.findIndex((names) => names.includes("chain-store"))).flat()];

/** Packages with one importer each, and the folder that is it. */
const soleImporters = {
  lmdb: "storage",
  piscina: "threads",
  viem: "l1",
  libp2p: "p2p",
  "@libp2p": "p2p",
  "@chainsafe": "p2p",
  pg: "validator",
  yaml: "config",
};

module.exports = {
  forbidden: [
    ...upward.filter(({ to }) => to.path !== "^src/()/"),
    ...insideRooms,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(soleImporters).map(([name, folder]) => ({
      name: `${name}-only-in-${folder}`,
      severity: "error",
      from: { path: "^src", pathNot: `^src/${folder}/` },
      to: { path: `node_modules/${name}/` },
    })),
    {
      name: "rpc-imports-its-listed-rungs",
      comment: "the pool, execution and block production are behind ports",
      severity: "error",
      from: { path: "^src/rpc/" },
      to: {
        path: "^src/(?!rpc|archiver|world-state|l1|storage|core|endpoints|telemetry|http|threads|protocol|errors|events|json)",
      },
    },
    {
      name: "generations-are-chosen-in-one-place",
      comment: "whoever composes passes on the generation of the rollup; known/ knows them all",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: "^src/protocol/generations/(known|v[0-9]+)/",
      },
      to: { path: "^src/protocol/generations/v[0-9]+/" },
    },
    {
      name: "generations-do-not-import-each-other",
      severity: "error",
      from: { path: "^src/protocol/generations/(v[0-9]+)/" },
      to: { path: "^src/protocol/generations/v[0-9]+/", pathNot: "^src/protocol/generations/$1/" },
    },
    {
      name: "config-is-a-leaf",
      comment: "services receive values, not the configuration",
      severity: "error",
      from: { path: `^src/(${services.join("|")})/` },
      to: { path: "^src/config/" },
    },
    {
      name: "config-imports-the-lowest-rung-only",
      severity: "error",
      from: { path: "^src/config/" },
      to: { path: "^src/(?!config|http|protocol|errors|events|json)" },
    },
    {
      name: "source-does-not-import-tests",
      severity: "error",
      from: { path: "^src" },
      to: { path: "^(test|bench|scripts)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js"], conditionNames: ["import", "types", "node"] },
  },
};
