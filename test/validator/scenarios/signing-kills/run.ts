/**
 * Kills processes that sign at random times and prints whether any duty was signed for two messages:
 * `node test/validator/scenarios/signing-kills/run.ts [kills, 500] [folder|group|<node_modules of the reference>]`.
 */
import { PostgresServer } from "../../../world/validator/postgres-server.ts";
import { type KillRun, runKills } from "./kill-run.ts";

const kills = Number(process.argv[2] ?? 500);
const only = process.argv[3];

async function show(title: string, run: KillRun): Promise<void> {
  const started = Date.now();
  const { signatures, ...counts } = await runKills({
    ...run,
    progress: (done, { duties }) => process.stderr.write(`\r${title}: ${done} kills, ${duties} duties `),
  });
  const equivocations = signatures.equivocations();
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stderr.write("\n");
  console.log(title, {
    ...counts,
    duties: signatures.duties,
    signedByReference: signatures.ofReference,
    equivocations: equivocations.length,
    seconds,
  });
  for (const duty of equivocations.slice(0, 10)) console.log("two messages:", duty);
  if (equivocations.length > 0 || signatures.duties === 0) process.exitCode = 1;
}

const reference = only?.includes("/") ? only : undefined;
if (only === undefined || only === "folder") {
  await show("two processes, one folder", { kills, processes: 2, restore: true });
}
if (only !== "folder") {
  const server = await PostgresServer.create();
  try {
    const title =
      reference === undefined ? "three nodes, one database" : "two nodes and a reference node, one database";
    await show(title, { kills, processes: 3, server, reference });
  } finally {
    await server.remove();
  }
}
