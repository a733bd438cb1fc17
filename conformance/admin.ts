import { ADMIN_API_KEY, type NodeProcess } from "../test/world/node/recorded-node.ts";
import { ADMIN_METHODS, adminClient, nodeClient, textOf } from "./client.ts";
import type { Report } from "./report.ts";

/** Calls every method of the library's admin client. Rolls the node back, so it runs last. */
export async function checkAdmin(node: NodeProcess, report: Report): Promise<void> {
  const client = adminClient(node.adminUrl, ADMIN_API_KEY);
  const called = new Set<string>();

  /** `expect` is a check of the value, or the text of the refusal. */
  const ask = async (method: string, args: readonly unknown[], expect: RegExp | ((value: unknown) => boolean)) => {
    called.add(method);
    const tally = report.of(`nodeAdmin_${method}`);
    const question = `${method}(${(textOf(args) ?? "").slice(1, -1)})`;
    try {
      const value = await client[method](...args);
      if (typeof expect === "function" && expect(value)) tally.accepted++;
      else tally.failures.push(`${question}: ${textOf(value)}`);
    } catch (error) {
      const { message } = error as Error;
      if (expect instanceof RegExp && expect.test(message)) tally.refused++;
      else tally.failures.push(`${question}: ${message}`);
    }
  };
  const none = (value: unknown) => value === undefined;
  const configured = (key: string, wanted: unknown) => (value: unknown) =>
    (value as Record<string, unknown> | undefined)?.[key] === wanted;

  await ask("getConfig", [], (value) => typeof value === "object" && value !== null);
  await ask("setConfig", [{}], none);
  await ask("setConfig", [{ maxPendingTxCount: 77, archiverBatchSize: 50 }], none);
  await ask("getConfig", [], configured("maxPendingTxCount", 77));
  await ask("getConfig", [], configured("archiverBatchSize", 50));
  await ask("setConfig", [{ minTxsPerBlock: 3 }], /minTxsPerBlock: this node runs no sequencer/);
  await ask("setConfig", [{ maxPendingTxCount: "many" }], /Expected number, received string/);
  await ask("pauseSync", [], none);
  await ask("pauseSync", [], none);
  await ask("resumeSync", [], none);
  await ask("resumeSync", [], none);
  await ask("getSlashPayloads", [], /Slasher client not enabled/);
  for (const round of ["all", "current"]) await ask("getSlashOffenses", [round], /Slasher client not enabled/);
  await ask("getSlashOffenses", [5n], /Slasher client not enabled/);
  await ask("reloadKeystore", [], /Cannot reload keystore/);
  await ask("startSnapshotUpload", [5], /Expected string, received number/);
  await ask("startSnapshotUpload", ["nowhere"], /.+/);

  const tip = Number(await nodeClient(node.url).getBlockNumber());
  await ask("rollbackTo", [tip], /must be less than current L2 block/);
  await ask("rollbackTo", [tip - 2], none);
  if (!(await reaches(node.url, tip))) report.of("nodeAdmin_rollbackTo").failures.push(`never back at block ${tip}`);

  for (const method of ADMIN_METHODS) {
    if (!called.has(method)) report.of(`nodeAdmin_${method}`).failures.push("was not called");
  }
  await checkKey(node.adminUrl, report);
}

/** Waits until the node has the block again; returns whether it does. */
async function reaches(url: string, block: number): Promise<boolean> {
  const client = nodeClient(url);
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (Number(await client.getBlockNumber()) >= block) return true;
  }
  return false;
}

/** Checks that the admin listener answers nothing without the key. */
async function checkKey(url: string, report: Report): Promise<void> {
  const tally = report.of("admin key");
  for (const key of [undefined, "", "00".repeat(32), ADMIN_API_KEY.toUpperCase(), ADMIN_API_KEY.slice(1)]) {
    try {
      await adminClient(url, key).getConfig();
      tally.failures.push(`${key} opens the admin listener`);
    } catch (error) {
      const { message } = error as Error;
      if (message.includes("Unauthorized: invalid or missing API key")) tally.refused++;
      else tally.failures.push(`${key}: ${message}`);
    }
  }
}
