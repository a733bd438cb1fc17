/** Imported by a process (`--import`), makes timers of a minute and more a hundred times as fast. */
export const FAST_MINUTES = `data:text/javascript,${encodeURIComponent(`
  import { syncBuiltinESMExports } from "node:module";
  import promises from "node:timers/promises";
  const faster = (ms) => (ms >= 60_000 ? ms / 100 : ms);
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (then, ms, ...args) => setTimeout(then, faster(ms), ...args);
  const sleep = promises.setTimeout;
  promises.setTimeout = (ms, ...args) => sleep(faster(ms), ...args);
  syncBuiltinESMExports();
`)}`;
