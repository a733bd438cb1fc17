import type { Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import type { CallResult, DebugLog, Gas, SimulationOutput, SimulationRevert } from "../../ports/simulator.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, type JsonSchema, listOf, oneOfWords, record, TEXT, typeNamed } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { MemberWriter } from "../json/member-writer.ts";
import { FIELD, L2_ADDRESS, SELECTOR } from "../json/scalars.ts";
import { writeHex, writeText, writeWords } from "../json/write-values.ts";
import { GAS } from "../shared/gas.ts";
import { encodeGlobalVariables } from "./block-header.ts";

const VALIDITY = record(
  "TxValidationResult",
  "Whether a transaction could be in the next block.",
  {
    result: oneOfWords(
      ["valid", "invalid", "skipped"],
      "skipped: not now, but it may become valid, for example when fees fall.",
    ),
  },
  { reason: about(listOf(TEXT), "All reasons against it; absent when it is valid.") },
);

/** TxValidationResult (docs/protocol/05-rpc.md#523-sending-and-validity). */
export const encodeValidity = encoder<Verdict>(VALIDITY, (out, validity) => {
  out.text(`{"result":"${validity.result}"`);
  if (validity.result !== "valid") out.text(',"reason":').array(validity.reason, writeText);
  out.text("}");
});

const REVERT = record(
  "SimulationError",
  "Why a call reverted.",
  {
    originalMessage: about(TEXT, "The contract's or the machine's message."),
    functionErrorStack: about(
      listOf(
        record(
          "FailingFunction",
          "A call on the way to the one that failed.",
          { contractAddress: about(L2_ADDRESS, "The contract that was called.") },
          {
            contractName: about(TEXT, "The contract's name, where it is known."),
            functionSelector: about(SELECTOR, "The function's selector, where there is one."),
            functionName: about(TEXT, "The function's name, where it is known."),
          },
        ),
      ),
      "The calls, outermost first.",
    ),
    revertData: about(listOf(FIELD), "What the call returned when it reverted."),
  },
  { noirErrorStack: about(listOf(TEXT), "Places in the bytecode, innermost last.") },
);

const encodeRevert = encoder<SimulationRevert>(REVERT, (out, revert) => {
  new MemberWriter(out)
    .add("originalMessage", revert.originalMessage, writeText)
    .add("functionErrorStack", revert.functionErrorStack, (to, stack) => {
      to.array(stack, (item, frame) =>
        new MemberWriter(item)
          .add("contractAddress", frame.contractAddress, writeHex)
          .add("contractName", frame.contractName, writeText)
          .add("functionSelector", frame.functionSelector, writeHex)
          .add("functionName", frame.functionName, writeText)
          .end(),
      );
    })
    .add("noirErrorStack", revert.noirErrorStack, (to, stack) => void to.array(stack, writeText))
    .add("revertData", revert.revertData, writeWords)
    .end();
});

const CALL_RESULT = record(
  "NestedProcessReturnValues",
  "What a public call returned, and the calls inside it.",
  { nested: about(listOf(typeNamed("NestedProcessReturnValues")), "The calls inside it, in their order.") },
  { values: about(listOf(FIELD), "What it returned; absent when it returned nothing.") },
);

const encodeCallResult = encoder<CallResult>(CALL_RESULT, (out, { values, nested }) => {
  new MemberWriter(out)
    .add("values", values, writeWords)
    .add("nested", nested, (to, calls) => void to.array(calls, encodeCallResult))
    .end();
});

function encodeGas(out: JsonWriter, { daGas, l2Gas }: Gas): void {
  out.text(`{"daGas":${daGas},"l2Gas":${l2Gas}}`);
}

const DEBUG_LOG = record("DebugLog", "What a contract logged for its developer.", {
  contractAddress: about(L2_ADDRESS, "The contract."),
  level: oneOfWords(["silent", "fatal", "error", "warn", "info", "verbose", "debug", "trace"], "Level of the message."),
  message: about(TEXT, "The message, with places for the fields."),
  fields: about(listOf(FIELD), "What belongs into the places."),
});

const encodeDebugLog = encoder<DebugLog>(DEBUG_LOG, (out, log) => {
  out.text('{"contractAddress":').word(log.contractAddress).text(`,"level":"${log.level}","message":`);
  out.value(log.message).text(',"fields":').words(log.fields).text("}");
});

function simulationSchema(title: string, encodeEffect: Encoder<TxEffect>): JsonSchema {
  return record(
    title,
    "What the public part of a transaction did in a simulation.",
    {
      globalVariables: about(encodeGlobalVariables.schema, "Those of the block that it was run in."),
      txEffect: encodeEffect.schema,
      publicReturnValues: about(listOf(encodeCallResult.schema), "One for each public call, in their order."),
      gasUsed: record("GasUsed", "The gas that a transaction used.", {
        totalGas: about(GAS, "All of it."),
        teardownGas: about(GAS, "That of the teardown."),
        publicGas: about(GAS, "That of the public calls."),
        billedGas: about(GAS, "What is paid for: as the total, but all of the teardown's limit."),
      }),
      debugLogs: about(listOf(encodeDebugLog.schema), "What contracts logged."),
    },
    { revertReason: about(encodeRevert.schema, "Why it reverted; absent when it did not.") },
  );
}

/** PublicSimulationOutput (docs/protocol/05-rpc.md#525-simulation-output) around an API's form of tx effects. */
export function encodeSimulation(title: string, encodeEffect: Encoder<TxEffect>): Encoder<SimulationOutput> {
  return encoder(simulationSchema(title, encodeEffect), (out, output) =>
    new MemberWriter(out)
      .add("revertReason", output.revert, encodeRevert)
      .add("globalVariables", output.header, encodeGlobalVariables)
      .add("txEffect", output.effect, encodeEffect)
      .add("publicReturnValues", output.returned, (to, calls) => void to.array(calls, encodeCallResult))
      .add("gasUsed", output.gasUsed, (to, gas) =>
        new MemberWriter(to)
          .add("totalGas", gas.totalGas, encodeGas)
          .add("teardownGas", gas.teardownGas, encodeGas)
          .add("publicGas", gas.publicGas, encodeGas)
          .add("billedGas", gas.billedGas, encodeGas)
          .end(),
      )
      .add("debugLogs", output.debugLogs, (to, logs) => void to.array(logs, encodeDebugLog))
      .end(),
  );
}
