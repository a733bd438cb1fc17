import { array } from "../../codecs/json/codec.ts";
import { encodeArray, encodeNothing } from "../../codecs/json/encoder.ts";
import { text } from "../../codecs/json/text.ts";
import { encodeSetupCall } from "../../codecs/shared/setup-calls.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { SelectorHashing } from "../contracts/function-signatures.ts";
import { after } from "./eventually.ts";

const MAX_SIGNATURES = 100;
const MAX_SIGNATURE_LENGTH = 10_000;

/** Methods for development (docs/protocol/05-rpc.md#533-aids-for-development). */
export function debugMethods(services: Pick<NodeServices, "chain" | "core" | "setup" | "signatures">): Method[] {
  const { chain, core, setup, signatures } = services;
  const builtIn = chain.generation.transactions.setupCalls;
  const hashing = new SelectorHashing(core);
  return [
    method({
      name: "registerContractFunctionSignatures",
      summary: "Remembers names of contract functions by selector, to show them in revert reasons",
      params: [
        param(
          "functionSignatures",
          array(text(MAX_SIGNATURE_LENGTH), MAX_SIGNATURES),
          "Names with the types of their parameters, as in transfer(Field,u128).",
        ),
      ],
      handle: async (given): Promise<undefined> => {
        await signatures.register(await hashing.named(given));
      },
      encode: { node: encodeNothing, svc: encodeNothing },
    }),
    method({
      name: "getAllowedPublicSetup",
      summary: "Public functions that a tx may call during setup",
      params: [],
      handle: () => after(setup.allowed(), (allowed) => [...builtIn, ...allowed]),
      encode: { node: encodeArray(encodeSetupCall), svc: encodeArray(encodeSetupCall) },
    }),
  ];
}
