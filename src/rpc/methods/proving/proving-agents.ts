import { encoder } from "../../codecs/json/encoder.ts";
import { COUNT, members, named, TEXT } from "../../codecs/json/json-schema.ts";
import type { ProvingAgentPort, ProvingAgentStatus } from "../../ports/proving-agent.ts";
import { type AgentNamespace, method, Registry } from "../../registry/registry.ts";

const STATUS = named("ProvingAgentStatus", "What a proving agent does.", {
  anyOf: [
    members({ status: { enum: ["stopped", "running"] } }),
    members({ status: { const: "proving" }, jobId: TEXT, proofType: COUNT, startedAtISO: TEXT }),
  ],
});

const encodeStatus = encoder<ProvingAgentStatus>(STATUS, (out, status) => {
  out.text(`{"status":"${status.status}"`);
  if (status.status === "proving") {
    out.text(',"jobId":').value(status.job.id).text(`,"proofType":${status.job.type}`);
    out.text(`,"startedAtISO":"${status.startedAt.toISOString()}"`);
  }
  out.text("}");
});

/** Namespaces of agents: one each, and `agent` if there is only one. */
export function agentNamespaces(count: number): AgentNamespace[] {
  const each = Array.from({ length: count }, (_, i): AgentNamespace => `agent${i}`);
  return count === 1 ? [...each, "agent"] : each;
}

/** Every method of the agents of a process. */
export function provingAgentsRegistry(agents: readonly ProvingAgentPort[]): Registry {
  return new Registry(
    agents.map((agent, i) =>
      method({
        name: "getStatus",
        summary: "What the agent does",
        params: [],
        handle: () => agent.status,
        encode: {
          [`agent${i}`]: encodeStatus,
          ...(agents.length === 1 && { agent: encodeStatus }),
        },
      }),
    ),
  );
}
