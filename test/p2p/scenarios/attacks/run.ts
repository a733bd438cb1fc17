import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ATTACKS } from "./attacks.ts";
import { peerNodeSubject, wholeNodeSubject } from "./subjects.ts";
import { type AttackRow, Trial } from "./trial.ts";

const USAGE = `node test/p2p/scenarios/attacks/run.ts [options]

Attacks a node with hostile peers, one kind after the other, and prints a line for each: what they sent, how often they
were refused or disconnected, the node's memory (MiB), file descriptors and CPU time, and the p99 (ms) of honest gossip
that the node forwards and of honest requests. Exits with 1 when the node ends or an honest peer suffers.

  --seconds N   duration of each attack (10)
  --rounds N    how often all attacks are made, one round after the other (1)
  --only TEXT   only attacks whose name contains TEXT
  --node        the whole node over a recorded chain, with an honest client of its RPC port
  --apart       a new node for each attack
  --help`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    node: { type: "boolean", default: false },
    apart: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Before the memory of a round is read: what the last attack left is given up by then. */
const REST_MS = 5_000;
const MIB = 2 ** 20;
const at = (sorted: number[], share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const mib = (bytes: number) => (bytes / MIB).toFixed(0);
const ms = (value: number | undefined) => (value === undefined ? "-" : value.toFixed(0));

function line(name: string, { counts, memory, descriptors, cpu, honest, rpc, disconnects }: AttackRow): string {
  const { sent, refused } = counts.get(name) ?? { sent: 0, refused: 0 };
  const { gossip, requests, lost, failed } = honest;
  return [
    name.padEnd(56),
    String(sent).padStart(10),
    String(refused).padStart(7),
    `${mib(memory.before)} > ${mib(memory.peak)}`.padStart(12),
    `${descriptors.before} > ${descriptors.peak}`.padStart(10),
    cpu.toFixed(1).padStart(5),
    `${ms(at(gossip, 0.5))}/${ms(at(gossip, 0.99))}`.padStart(10),
    String(lost).padStart(4),
    `${ms(at(requests, 0.5))}/${ms(at(requests, 0.99))}`.padStart(10),
    String(failed).padStart(4),
    ...(rpc.length === 0 ? [] : [`${ms(at(rpc, 0.5))}/${ms(at(rpc, 0.99))}`.padStart(10)]),
    String(disconnects).padStart(4),
  ].join(" | ");
}

if (values.help) {
  console.log(USAGE);
} else {
  const subject = values.node ? wholeNodeSubject : peerNodeSubject;
  const duration = Number(values.seconds) * 1_000;
  let trial = await Trial.start(await subject());
  const { gossip, requests } = await trial.quiet(Math.min(duration, 5_000));
  console.log(
    `without an attack: gossip ${ms(at(gossip, 0.5))}/${ms(at(gossip, 0.99))} ms, requests ${ms(at(requests, 0.5))}/${ms(at(requests, 0.99))} ms`,
  );
  console.log(
    `attack | sent | refused | memory | descriptors | CPU s | gossip p50/p99 | lost | requests p50/p99 | failed |${values.node ? " RPC p50/p99 |" : ""} cut`,
  );
  const attacks = ATTACKS.filter((attack) => attack.name.includes(values.only));
  const rounds = Number(values.rounds);
  for (let round = 1; round <= rounds; round++) {
    for (const { name } of attacks) {
      try {
        const row = await trial.attack([name], duration);
        console.log(line(name, row));
        if (row.honest.lost + row.honest.failed + row.disconnects > 0) process.exitCode = 1;
      } catch (error) {
        console.log(`${name} | FAILED | ${(error as Error).message}`);
        process.exitCode = 1;
      }
      if (trial.alive && !values.apart) continue;
      if (!trial.alive) {
        console.log(`the node ended:\n${trial.log.slice(-3_000)}`);
        process.exitCode = 1;
      }
      await trial.end();
      trial = await Trial.start(await subject());
    }
    if (rounds > 1) {
      await sleep(REST_MS);
      const { resident, anonymous } = trial.memory;
      const memory = `${mib(resident)} MiB resident, ${mib(anonymous)} MiB without pages of files`;
      console.log(`after round ${round} of ${attacks.length} attacks: ${memory}`);
    }
  }
  if (trial.log !== "") console.log(`log of the node:\n${trial.log.slice(0, 5_000)}`);
  await trial.end();
  process.exit();
}
