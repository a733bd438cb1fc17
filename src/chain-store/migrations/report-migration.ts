import cliProgress from "cli-progress";
import type { Migration, MigrationReport } from "../../storage/migrate.ts";
import type { Logger } from "../../telemetry/logger.ts";

const LOG_INTERVAL_MS = 5_000;

/** Reports migrations of a store: a bar if the stream is a terminal, else a log line every few seconds. */
export function reportMigration(
  store: string,
  log: Pick<Logger, "info">,
  stream: NodeJS.WriteStream = process.stderr,
): MigrationReport {
  let bar: cliProgress.SingleBar | undefined;
  let began = 0;
  let told = 0;
  const facts = ({ from }: Migration) => ({ store, from, to: from + 1 });
  return {
    begin(migration) {
      began = told = performance.now();
      const { change } = migration;
      log.info({ ...facts(migration), change }, "migrating the {store} store from schema version {from} to {to}");
      if (!stream.isTTY) return;
      const format = `migrating the ${store} store {bar} {percentage}% | eta {eta_formatted}`;
      const options = { format, stream, hideCursor: true, gracefulExit: false };
      bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
      bar.start(1, 0);
    },
    progress(migration, done) {
      bar?.update(done);
      if (bar !== undefined || performance.now() - told < LOG_INTERVAL_MS) return;
      told = performance.now();
      log.info({ ...facts(migration), percent: Math.round(100 * done) }, "migrating the {store} store: {percent} %");
    },
    end(migration) {
      bar?.stop();
      bar = undefined;
      const seconds = Math.round((performance.now() - began) / 10) / 100;
      log.info({ ...facts(migration), seconds }, "migrated the {store} store to schema version {to}");
    },
  };
}
