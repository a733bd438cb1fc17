import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { L1Constants } from "../../../src/protocol/time.ts";
import { LocalSigningGuard } from "../../../src/validator/open-signing-guard.ts";
import { SignedDuties } from "../../../src/validator/signing/signed-duties.ts";
import type { SigningGuard } from "../../../src/validator/signing/signing-guard.ts";
import { openSigningStore } from "../../../src/validator/signing/signing-store.ts";
import { SigningWindow } from "../../../src/validator/signing/signing-window.ts";

/** A node's guard on a folder of its own that was started in the first slot of the chain. `closeGuards` closes it. */
export function recordingGuard(
  times: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">,
  now: () => number,
): SigningGuard {
  const folder = mkdtempSync(join(tmpdir(), "svc-guard-"));
  const store = openSigningStore(folder);
  let clock = () => times.l1GenesisTime * 1000;
  const window = new SigningWindow(times, () => clock());
  const duties = new SignedDuties(store, `0x${"ab".repeat(20)}`);
  const guard = new LocalSigningGuard(window, duties, window.newestSlot());
  clock = now;
  opened.push(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return guard;
}

const opened: (() => Promise<void>)[] = [];

/** Closes all guards and removes their folders. */
export async function closeGuards(): Promise<void> {
  for (const close of opened.splice(0)) await close();
}
