import { LiveServiceNeeded } from "../ports/live-service-needed.ts";
import type { NodeServices } from "../ports/node-services.ts";
import { REMOTE_METHODS } from "../remote/remote-services.ts";

/**
 * Stand in for the services that are not functions of the store, in a process that forwards the calls that need them.
 * So a method that finds its answer in the store never leaves this process, and which methods are forwarded needs no
 * list: each throws when it is first used.
 */
export function neededServices(): Pick<NodeServices, keyof typeof REMOTE_METHODS> {
  const methods: Readonly<Record<string, readonly string[]>> = REMOTE_METHODS;
  const services = Object.entries(methods).map(([service, names]) => {
    const throwing = (name: string) => (): never => {
      throw new LiveServiceNeeded(`${service}.${name}`);
    };
    return [service, Object.fromEntries(names.map((name) => [name, throwing(name)]))];
  });
  return Object.fromEntries(services) as Pick<NodeServices, keyof typeof REMOTE_METHODS>;
}
