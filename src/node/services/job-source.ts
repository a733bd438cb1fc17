import type { Generation } from "../../protocol/generations/generation.ts";
import { BrokerRequestError } from "../../prover/broker/errors.ts";
import type { BrokerJob, NextJob } from "../../prover/broker/job.ts";
import { outputFault } from "../../prover/broker/output-fault.ts";
import type { ProvingBroker } from "../../prover/broker/proving-broker.ts";
import { InlineInput, isInlineUri } from "../../prover/jobs/inline-uri.ts";
import type { MemoryStore } from "../../prover/proof-store/memory-store.ts";
import { ExecutionError } from "../../rpc/jsonrpc/errors.ts";
import type { JobSource } from "../../rpc/ports/proving-broker.ts";

/**
 * Jobs of the broker in this process for agents elsewhere. They get inputs inside the URI, as those of a broker without
 * proof store do.
 */
export function jobSource(broker: ProvingBroker, store: MemoryStore): JobSource {
  const handedOut = async (next: NextJob | undefined): Promise<NextJob | undefined> =>
    next && { ...next, job: { ...next.job, inputsUri: await inlineInput(store, next.job) } };
  return {
    next: async (agent) => handedOut(await answer(() => broker.next(agent, undefined))),
    progress: async (id, startedAt, agent) => handedOut(await answer(() => broker.progress(id, startedAt, agent))),
    succeed: async (id, uri, agent) => handedOut(await answer(() => broker.succeed(id, uri, agent))),
    fail: async (id, message, retry, agent) => handedOut(await answer(() => broker.fail(id, message, retry, agent))),
  };
}

/**
 * What is wrong with the URI of an output, or undefined: agents of this process have saved it, others send it whole.
 */
export function outputFaultHere(rules: Pick<Generation, "circuits">, store: MemoryStore) {
  return (job: Pick<BrokerJob, "id" | "type">, literal: Uint8Array): string | undefined => {
    const uri: string = JSON.parse(Buffer.from(literal).toString());
    if (isInlineUri(uri)) return outputFault(rules, job, literal, () => literal);
    return store.isOutputOf(job.id, uri) ? undefined : "it is no inline output";
  };
}

async function inlineInput(store: MemoryStore, { inputsUri }: BrokerJob): Promise<Uint8Array> {
  const { type, input } = await store.loadInput(JSON.parse(Buffer.from(inputsUri).toString()));
  return Buffer.from(JSON.stringify(String(new InlineInput(type, input))));
}

async function answer<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof BrokerRequestError ? new ExecutionError(error.message) : error;
  }
}
