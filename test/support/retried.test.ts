import { expect, test } from "vitest";
import { isRetried } from "./retried.ts";

test.each([
  ["test/node/scenarios/peers.test.ts", "", true],
  ["test/status/scenarios/status-page.test.ts", "", true],
  ["test/core/wasm-field.test.ts", "", false],
  ["test/validator/open-signing-guard.ha.test.ts", "", false],
  ["test/sequencer/scenarios/publisher-kill.test.ts", "", false],
  ["test/slasher/scenarios/node-on-l1.test.ts", "", false],
  ["test/p2p/scenarios/fuzz/peer-fuzz.test.ts", "", false],
  ["test/rpc/calls/dispatcher.test.ts", 'import fc from "fast-check";', false],
])("whether a failed test of %s is repeated: tests of safety and of random inputs are not", (path, text, retried) => {
  expect(isRetried(path, text)).toBe(retried);
});
