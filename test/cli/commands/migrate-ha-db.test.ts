import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvc } from "../../world/cli/run-svc.ts";
import { PostgresServer } from "../../world/validator/postgres-server.ts";

let server: PostgresServer;
let url: string;

beforeAll(async () => {
  server = await PostgresServer.create();
  url = await server.createDatabase("duties");
});

afterAll(() => server?.remove());

test("migrate-ha-db makes and removes the tables, and says when there is nothing to do", async () => {
  const up = ["migrate-ha-db", "up", "--database-url", url];
  expect(await runSvc(up)).toEqual({ code: 0, stdout: "Applied migrations: 1_initial-schema\n", stderr: "" });
  expect((await runSvc(up)).stdout).toBe("No migrations to apply - schema is up to date\n");
  const down = () => runSvc(["migrate-ha-db", "down"], { DATABASE_URL: url });
  expect(await down()).toEqual({ code: 0, stdout: "Rolled back migrations: 1_initial-schema\n", stderr: "" });
  expect((await down()).stdout).toBe("No migrations to rollback\n");
});

test("migrate-ha-db --verbose prints the statements and no password", async () => {
  const { code, stderr } = await runSvc(["migrate-ha-db", "up", "--verbose"], { DATABASE_URL: url });
  expect(code).toBe(0);
  expect(stderr).toContain("CREATE TABLE IF NOT EXISTS validator_duties");
  expect(stderr).not.toMatch(/sec.{1,3}ret-of-tests/);
});

test.each([
  ["without a URL", [], "--database-url (env DATABASE_URL) is required"],
  ["with the URL of something else", ["mysql://u:sec%3Aret-of-tests@h/d"], "--database-url must be a URL of the form"],
  [
    "with a wrong password",
    ["postgresql://postgres:sec%3Aret-of-nobody@127.0.0.1:PORT/duties"],
    "refuses the password",
  ],
  ["with an unknown host", ["postgresql://u:sec%3Aret-of-tests@no-such-host.invalid/d"], "its host name"],
])("migrate-ha-db %s fails with one line that has no password", async (_, urls, rule) => {
  const flags = urls.flatMap((one) => ["--database-url", one.replace("PORT", String(server.port))]);
  const { code, stdout, stderr } = await runSvc(["migrate-ha-db", "up", ...flags]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect(stderr).toContain(rule);
  expect(stderr).not.toMatch(/sec.{1,3}ret/);
});
