import { expect, test } from "vitest";
import { rounds } from "../../../support/soak.ts";
import { PostgresServer } from "../../../world/validator/postgres-server.ts";
import { runKills } from "./kill-run.ts";

const KILLS = rounds(12, 6);

test("two processes on one folder that are killed, and its restored backups, sign no duty for two messages", async () => {
  const { signatures } = await runKills({ kills: KILLS, processes: 2, restore: true });
  expect(signatures.equivocations()).toEqual([]);
  expect(signatures.duties).toBeGreaterThan(0);
});

test("nodes with one database that are killed while it restarts sign no duty for two messages", async () => {
  const server = await PostgresServer.create();
  try {
    const { signatures } = await runKills({ kills: KILLS, processes: 3, server });
    expect(signatures.equivocations()).toEqual([]);
    expect(signatures.duties).toBeGreaterThan(0);
  } finally {
    await server.remove();
  }
});

test("processes without a guard sign duties for two messages, and the check of the other tests finds it", async () => {
  const { signatures } = await runKills({ kills: 6, processes: 2, unguarded: true });
  expect(signatures.equivocations()).not.toEqual([]);
});
