import { encodeTxEffect as encodeDevelopmentEffect } from "../../codecs/development/tx-effect.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encodeNothing } from "../../codecs/json/encoder.ts";
import { boolean } from "../../codecs/json/text.ts";
import { EFFECT_FORMS } from "../../codecs/release/effect-forms.ts";
import { encodeSimulation, encodeValidity } from "../../codecs/release/simulation.ts";
import { DEVELOPMENT_CODECS, inBoth, RELEASE_CODECS } from "../../codecs/shared/apis.ts";
import { simulationOverrides } from "../../codecs/shared/simulation-overrides.ts";
import { validationOptions } from "../../codecs/shared/tx.ts";
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
}: Pick<NodeServices, "chain" | "mempool" | "txValidator" | "simulator" | "status">): Method[] {
  return [
    method({
      name: "sendTx",
      summary: "Takes a tx into the pool and passes it on",
      params: inBoth(({ tx }) => [param("tx", tx)] as const),
      handle: (given) => mempool.submit(given).then((): undefined => undefined),
      encode: { node: encodeNothing, svc: encodeNothing },
    }),
    method({
      name: "isValidTx",
      summary: "Whether a tx could be in the next block",
      params: inBoth(
        ({ tx }) =>
          [
            param("tx", tx),
            param("options", optional(validationOptions, { isSimulation: false, skipFeeEnforcement: false })),
          ] as const,
      ),
      handle: (given, options) => txValidator.validate(given, options),
      encode: { node: encodeValidity, svc: encodeValidity },
    }),
    method({
      name: "simulatePublicCalls",
      summary: "Runs the public part of a tx on the latest state and throws the changes away",
      params: {
        node: [param("tx", RELEASE_CODECS.tx), param("skipFeeEnforcement", optional(boolean, false), SKIP_FEES)],
        svc: [
          param("tx", DEVELOPMENT_CODECS.tx),
          param("skipFeeEnforcement", optional(boolean, false), SKIP_FEES),
          param("overrides", optional(simulationOverrides(chain.generation.contracts))),
        ],
      },
      handleFrom: ({ namespace, caller }, given, skipFeeEnforcement, overrides?) => {
        const api = namespace === "node" ? "release" : "development";
        const options = { skipFeeEnforcement, overrides, api, client: caller?.client() ?? "" } as const;
        // Calls across threads take an AbortSignal as their last argument, or none.
        return caller === undefined
          ? simulator.simulate(given, options)
          : simulator.simulate(given, options, caller.signal());
      },
      encode: {
        node: encodeSimulation("ReleasePublicSimulationOutput", EFFECT_FORMS[status.revertWords].encodeTxEffect),
        svc: encodeSimulation("PublicSimulationOutput", encodeDevelopmentEffect),
      },
    }),
  ];
}
