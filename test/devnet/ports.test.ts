import { createServer } from "node:net";
import { expect, test } from "vitest";
import { newPlan, plannedNodes } from "../../src/devnet/plan.ts";
import { freeBasePort, requireFreePorts } from "../../src/devnet/ports.ts";

test("a taken port is named with its node and its use, and other ports that no node uses do not matter", async () => {
  const plan = newPlan({ validators: 2 });
  const base = await freeBasePort(plan);
  await requireFreePorts(plan, base);
  const validator = plannedNodes(plan, base).find(({ name }) => name === "validator-2");
  const admin = (validator?.port ?? 0) + 1;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(admin, "127.0.0.1", resolve));
  try {
    await expect(requireFreePorts(plan, base)).rejects.toThrow(
      `port ${admin}, the admin port of validator-2, cannot be used (EADDRINUSE): end what uses it, or choose others with --base-port`,
    );
  } finally {
    server.close();
  }
  const unused = createServer();
  await new Promise<void>((resolve) => unused.listen(base + 1, "127.0.0.1", resolve));
  await requireFreePorts(plan, base).finally(() => unused.close());
});
