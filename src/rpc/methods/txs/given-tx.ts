import { encodeTxEffect as encodeDevelopmentEffect } from "../../codecs/development/tx-effect.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encodeNothing } from "../../codecs/json/encoder.ts";
import { boolean } from "../../codecs/json/text.ts";
import { EFFECT_FORMS } from "../../codecs/release/effect-forms.ts";
import { encodeSimulation, encodeValidity } from "../../codecs/release/simulation.ts";
import { simulationOverrides } from "../../codecs/shared/simulation-overrides.ts";
import { developmentTx, releaseTx, validationOptions } from "../../codecs/shared/tx.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";

const SKIP_FEES = "Whether the tx need not be able to pay; false by default.";

/** Methods that take a tx: sending it, checking it, simulating it. */
export function givenTxMethods({
  chain,
  mempool,
  txValidator,
  simulator,
  status,
}: Pick<NodeServices, "mempool" | "txValidator" | "simulator" | "status" | "chain">): Method[] {
  const { transactions } = chain.generation;
  const tx = { node: param("tx", releaseTx(transactions)), svc: param("tx", developmentTx(transactions)) };
  const options = param("options", optional(validationOptions, { isSimulation: false, skipFeeEnforcement: false }));
  return [
    method({
      name: "sendTx",
      summary: "Takes a tx into the pool and passes it on",
      params: { node: [tx.node], svc: [tx.svc] },
      handle: (given) => mempool.submit(given).then((): undefined => undefined),
      encode: { node: encodeNothing, svc: encodeNothing },
    }),
    method({
      name: "isValidTx",
      summary: "Whether a tx could be in the next block",
      params: { node: [tx.node, options], svc: [tx.svc, options] },
      handle: (given, unchecked) => txValidator.validate(given, unchecked),
      encode: { node: encodeValidity, svc: encodeValidity },
    }),
    method({
      name: "simulatePublicCalls",
      summary: "Runs the public part of a tx on the latest state and throws the changes away",
      params: {
        node: [tx.node, param("skipFeeEnforcement", optional(boolean, false), SKIP_FEES)],
        svc: [
          tx.svc,
          param("skipFeeEnforcement", optional(boolean, false), SKIP_FEES),
          param("overrides", optional(simulationOverrides(chain.generation.contracts))),
        ],
      },
      handleFrom: ({ namespace, caller }, given, skipFeeEnforcement, overrides?) => {
        const api = namespace === "node" ? "release" : "development";
        const simulation = { skipFeeEnforcement, overrides, api, client: caller?.client() ?? "" } as const;
        // Calls across threads take an AbortSignal as their last argument, or none.
        return caller === undefined
          ? simulator.simulate(given, simulation)
          : simulator.simulate(given, simulation, caller.signal());
      },
      encode: {
        node: encodeSimulation("ReleasePublicSimulationOutput", EFFECT_FORMS[status.revertWords].encodeTxEffect),
        svc: encodeSimulation("PublicSimulationOutput", encodeDevelopmentEffect),
      },
    }),
  ];
}
