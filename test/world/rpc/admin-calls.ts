import { configure } from "../../../src/config/configuration.ts";
import { OperatorError } from "../../../src/errors/operator-error.ts";
import { adminKeys } from "../../../src/node/settings/admin-keys.ts";
import { adminValues } from "../../../src/node/settings/admin-values.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { adminRegistry } from "../../../src/rpc/admin/admin-registry.ts";
import type { AdminServices } from "../../../src/rpc/admin/ports/admin-services.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import { recordingLogger } from "./fakes.ts";
import { Checker } from "./json-schema.ts";

export interface Calls {
  readonly services: AdminServices;
  /** Calls that reached the services. */
  readonly done: unknown[][];
  readonly log: ReturnType<typeof recordingLogger>;
  call(method: string, params?: unknown): Promise<{ status: number; answer: Answer }>;
}

export interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

/** Services for the description only: none of them is called. */
const undescribed = new Proxy({}, { get: (_, name) => (name === "config" ? { keys: adminKeys() } : {}) });
const described = new Checker(
  openRpcDocument(adminRegistry(undescribed as AdminServices, V4.api), ["nodeAdmin", "svcAdmin"]),
);

/** Both admin namespaces over services that record their calls. Throws if a result breaks the API description. */
export function adminCalls(overrides: Partial<AdminServices> = {}): Calls {
  const done: unknown[][] = [];
  let values = adminValues(configure({ flags: new Map(), environment: {} }).values);
  const services: AdminServices = {
    config: {
      keys: adminKeys(),
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
    localNetwork: undefined,
    dutyTimes: () => [],
    missedDuties: () => [],
    reports: {
      health: () => ({ components: [], blockNumber: 0, checkpointNumber: 0, lagBlocks: 0, limits: {} }),
      metrics: () => [],
      logLines: () => [],
      options: () => [],
      peers: () => [],
      pendingTxs: () => [],
      attesters: () => [],
    },
    ...overrides,
  };
  const log = recordingLogger();
  const dispatcher = new Dispatcher(
    adminRegistry(services, V4.api),
    { maxBatchSize: 100, namespaces: ["nodeAdmin", "svcAdmin"], expectedErrors: [OperatorError] },
    log,
  );
  return {
    services,
    done,
    log,
    async call(method, params = []) {
      const { status, body } = await dispatcher.answer({ jsonrpc: "2.0", id: 1, method, params });
      const answer = JSON.parse(Buffer.from(body).toString()) as Answer;
      if (answer.error === undefined) {
        const violations = described.resultViolations(method, answer.result);
        if (violations.length > 0) throw new TypeError(violations.join("\n").slice(0, 2000));
      }
      return { status, answer };
    },
  };
}
