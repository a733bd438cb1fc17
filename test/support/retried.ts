/** Folders of tests that drive processes, sockets or a browser, which a stalled machine may let run into a limit. */
const TIMED =
  /^test\/(bench|bot|cli|conformance|http|l1|local-network|network|node|p2p|packaging|process|rpc|sequencer|status|storage\/objects|telemetry)\//;

/**
 * What must hold in every attempt: nothing is signed twice, lost at a kill or a crash, or accepted from an attacker.
 */
const SAFETY =
  /kill|crash|damaged|full-disk|sign|guard|slash|votes|offense|fuzz|attack|hostile|migrat|snapshots|\/db\/|broker|committee|consensus|proposals|proposing|reorg/;

/** Another random input would hide the one that failed. */
const RANDOM = /from "fast-check"|\brandomInt\(|Math\.random\(/;

/**
 * Whether a failed test of a file runs once more in continuous integration. `path` is relative to the project.
 * A test that passes then is named as flaky by scripts/test-summary.ts.
 */
export function isRetried(path: string, text: string): boolean {
  return TIMED.test(path) && !SAFETY.test(path) && !RANDOM.test(text);
}
