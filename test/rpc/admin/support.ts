import { adminRegistry } from "../../../src/rpc/admin/admin-registry.ts";
import { configDefaults } from "../../../src/rpc/admin/config-keys.ts";
import type { AdminServices } from "../../../src/rpc/admin/services.ts";
import { Dispatcher } from "../../../src/rpc/jsonrpc/dispatcher.ts";
import { recordingLogger } from "../support/fakes.ts";

export interface Calls {
  readonly services: AdminServices;
  /** What reached the services. */
  readonly done: unknown[][];
  readonly log: ReturnType<typeof recordingLogger>;
  call(method: string, params?: unknown): Promise<{ status: number; answer: Answer }>;
}

export interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

/** Both admin namespaces over services that note what they are asked. */
export function adminCalls(overrides: Partial<AdminServices> = {}): Calls {
  const done: unknown[][] = [];
  let values = configDefaults();
  const services: AdminServices = {
    config: {
      current: () => values,
      change(more) {
        done.push(["change", more]);
        values = { ...values, ...more };
      },
    },
    sync: {
      pause: async () => void done.push(["pause"]),
      resume: () => void done.push(["resume"]),
      rollBackTo: async (block, options) => void done.push(["rollBackTo", block, options]),
    },
    keystore: { reload: async () => void done.push(["reload"]) },
    snapshots: undefined,
    sequencer: undefined,
    slasher: undefined,
    ...overrides,
  };
  const log = recordingLogger();
  const dispatcher = new Dispatcher(
    adminRegistry(services),
    { maxBatchSize: 100, namespaces: ["nodeAdmin", "svcAdmin"] },
    log,
  );
  return {
    services,
    done,
    log,
    async call(method, params = []) {
      const { status, body } = await dispatcher.answer({ jsonrpc: "2.0", id: 1, method, params });
      return { status, answer: JSON.parse(Buffer.from(body).toString()) };
    },
  };
}
