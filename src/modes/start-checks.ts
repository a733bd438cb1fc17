import { refuseAbsentParts } from "../config/absent-parts.ts";
import type { Configuration } from "../config/configuration.ts";
import { OperatorError } from "../errors/operator-error.ts";
import { requireLogFile } from "../process/logging/open-log-file.ts";
import type { Mode } from "./mode.ts";
import { selectedMode } from "./modes.ts";

/** What a start with these options would refuse. */
interface StartVerdict {
  /** Undefined if the options select none. */
  readonly mode: Mode | undefined;
  /** In the order of the checks. */
  readonly faults: readonly OperatorError[];
}

/**
 * Everything about a configuration that can be refused before anything is started: options of parts that are not there,
 * the mode, the mode's checks, cheap ones first, and the log file. `svc start` and `svc config --check` go by it.
 */
export async function checkStart(configuration: Configuration): Promise<StartVerdict> {
  const { values } = configuration;
  const faults: OperatorError[] = [];
  const attempt = async <T>(work: () => T): Promise<Awaited<T> | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      faults.push(error);
      return undefined;
    }
  };
  await attempt(() => refuseAbsentParts(configuration));
  const mode = await attempt(() => selectedMode(values));
  for (const check of (await mode?.checks()) ?? []) await attempt(() => check(values));
  await attempt(() => values.logFile !== undefined && requireLogFile(values.logFile));
  return { mode, faults };
}

/** The mode that a start runs. Throws the first fault. */
export async function startableMode(configuration: Configuration): Promise<Mode> {
  const { mode, faults } = await checkStart(configuration);
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  return mode as Mode;
}
