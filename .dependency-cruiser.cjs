/** Imports point down this list and never up (docs/architecture.md). A layer may import itself and every layer below it. */
const layers = [
  ["cli"],
  ["node"],
  ["rpc"],
  ["sequencer", "validator", "slasher", "prover"],
  ["p2p", "mempool", "execution"],
  ["archiver", "world-state"],
  ["l1", "storage"],
  ["core"],
  ["protocol"],
];
const below = (i) => layers.slice(i).flat();
const forbidden = layers.slice(1).flatMap((names, i) => {
  const upper = layers.slice(0, i + 1).flat();
  return names.map((name) => ({
    name: `${name}-imports-up`,
    severity: "error",
    from: { path: `^src/${name}/` },
    to: { path: `^src/(${upper.join("|")})/` },
  }));
});
module.exports = {
  forbidden: [
    ...forbidden,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "lmdb-only-in-storage",
      severity: "error",
      from: { path: "^src", pathNot: "^src/storage/" },
      to: { path: "node_modules/lmdb" },
    },
    {
      name: "viem-only-in-l1",
      severity: "error",
      from: { path: "^src", pathNot: "^src/l1/" },
      to: { path: "node_modules/viem" },
    },
    {
      name: "config-is-a-leaf",
      comment: "services receive values, not the configuration",
      severity: "error",
      from: { path: `^src/(${below(2).join("|")})/` },
      to: { path: "^src/config/" },
    },
    {
      name: "config-imports-nothing-above-protocol",
      severity: "error",
      from: { path: "^src/config/" },
      to: { path: "^src/(?!config|protocol)" },
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
