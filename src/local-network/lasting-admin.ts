import { OperatorError } from "../errors/operator-error.ts";
import { startAdminServer } from "../node/admin/admin-server.ts";
import type { AdminServices } from "../rpc/admin/ports/admin-services.ts";
import type { NodeServices } from "../rpc/ports/node-services.ts";
import type { Listener } from "../rpc/wire/listener.ts";

/** The network's node is stopped for a moment. */
export class NodeRestartingError extends OperatorError {
  override readonly errorCode: string = "node-restarting";

  constructor() {
    super("The local network is taking over another state: try again");
    this.name = "NodeRestartingError";
  }
}

/** Passes every call on to what `current` returns at that time. */
function delegate<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get(_, key) {
      const target = current();
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
    // What is listed or copied are the members of the current object too.
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(current(), key);
      return found && { ...found, configurable: true };
    },
  });
}

/**
 * An admin port that outlives the node: a call that replaces the network's state stops the node and starts another one,
 * and is answered when that is done.
 */
export class LastingAdmin {
  #listener: Listener | undefined;
  #services: AdminServices | undefined;
  /** What the page reads, of the same node. */
  #reads: NodeServices | undefined;

  /** The first call opens the port. Closing what is returned only detaches the node from it. */
  readonly open: typeof startAdminServer = async (services, options, log) => {
    this.#services = services;
    this.#reads = options.reads;
    const reads = options.reads && this.#readDelegates(options.reads);
    this.#listener ??= await startAdminServer(this.#delegates(services), { ...options, reads }, log);
    const detach = (): void => {
      if (this.#services === services) this.#services = undefined;
    };
    const { port, adapter } = this.#listener;
    return { port, adapter, close: async () => detach(), abandon: detach };
  };

  async close(): Promise<void> {
    await this.#listener?.close();
  }

  /** The nodes of a network have the same services, apart from their state. */
  #delegates(first: AdminServices): AdminServices {
    const service = <K extends keyof AdminServices>(key: K): AdminServices[K] =>
      first[key] && (delegate<object>(() => this.#current()[key] as object) as AdminServices[K]);
    return {
      config: service("config"),
      sync: service("sync"),
      keystore: service("keystore"),
      snapshots: service("snapshots"),
      sequencer: service("sequencer"),
      slasher: service("slasher"),
      localNetwork: first.localNetwork,
      dutyTimes: () => this.#current().dutyTimes(),
      missedDuties: () => this.#current().missedDuties(),
      reports: delegate(() => this.#current().reports),
    };
  }

  #readDelegates(first: NodeServices): NodeServices {
    const names = Object.keys(first) as (keyof NodeServices)[];
    const of = (name: keyof NodeServices) => [
      name,
      delegate<object>(() => {
        this.#current();
        return (this.#reads as NodeServices)[name];
      }),
    ];
    return Object.fromEntries(names.map(of)) as NodeServices;
  }

  #current(): AdminServices {
    if (this.#services === undefined) throw new NodeRestartingError();
    return this.#services;
  }
}
