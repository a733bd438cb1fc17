import type { Verdict } from "../../protocol/tx/verdict.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import type { CallResult, DebugLog, Gas, SimulationOutput, SimulationRevert } from "../methods/services.ts";
import { type Encoder, encodeHex, encodeText, encodeWords, type JsonWriter, MemberWriter } from "./json-writer.ts";
import { encodeGlobalVariables } from "./v4/block-header.ts";

/** TxValidationResult (sheet 02 section 4.9). */
export function encodeValidity(out: JsonWriter, validity: Verdict): void {
  out.text(`{"result":"${validity.result}"`);
  if (validity.result !== "valid") out.text(',"reason":').array(validity.reason, encodeText);
  out.text("}");
}

function encodeRevert(out: JsonWriter, revert: SimulationRevert): void {
  new MemberWriter(out)
    .add("originalMessage", revert.originalMessage, encodeText)
    .add("functionErrorStack", revert.functionErrorStack, (to, stack) => {
      to.array(stack, (item, frame) =>
        new MemberWriter(item)
          .add("contractAddress", frame.contractAddress, encodeHex)
          .add("contractName", frame.contractName, encodeText)
          .add("functionSelector", frame.functionSelector, encodeHex)
          .add("functionName", frame.functionName, encodeText)
          .end(),
      );
    })
    .add("noirErrorStack", revert.noirErrorStack, (to, stack) => void to.array(stack, encodeText))
    .add("revertData", revert.revertData, encodeWords)
    .end();
}

function encodeCallResult(out: JsonWriter, { values, nested }: CallResult): void {
  new MemberWriter(out)
    .add("values", values, encodeWords)
    .add("nested", nested, (to, calls) => void to.array(calls, encodeCallResult))
    .end();
}

function encodeGas(out: JsonWriter, { daGas, l2Gas }: Gas): void {
  out.text(`{"daGas":${daGas},"l2Gas":${l2Gas}}`);
}

function encodeDebugLog(out: JsonWriter, log: DebugLog): void {
  out.text('{"contractAddress":').word(log.contractAddress).text(`,"level":"${log.level}","message":`);
  out.value(log.message).text(',"fields":').words(log.fields).text("}");
}

/** PublicSimulationOutput (sheet 02 section 4.10) around a generation's form of tx effects. */
export function encodeSimulation(encodeEffect: Encoder<TxEffect>): Encoder<SimulationOutput> {
  return (out, output) =>
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
      .end();
}
