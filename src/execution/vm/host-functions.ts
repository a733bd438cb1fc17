import { FR_ZERO } from "../../protocol/field.ts";
import { VM_INSTANCE_MEMBERS } from "../../protocol/generations/execution.ts";
import { type ActiveRun, RETURNED } from "./active-run.ts";
import { DebugLogError } from "./errors.ts";
import type { LimitOutcome } from "./host.ts";
import { tagName } from "./tags.ts";
import type { VmImports } from "./vm-exports.ts";

const TAG_U8 = 2;
const TAG_U32 = 4;
const MAX_LOG_LEVEL = 7;

const limit = (outcome: LimitOutcome): number => (outcome === "ok" ? 0 : 1);
const WRITE_OUTCOMES = { warm: 0, cold: 1, limit: 2 } as const;
const NULLIFIER_OUTCOMES = { ok: 0, limit: 1, duplicate: 2 } as const;

/**
 * Implements the functions that assembly/vm/host.ts declares. `active` returns the run that is active at the call.
 * `memoryExhausted` must throw.
 */
export function hostFunctions(active: () => ActiveRun, memoryExhausted: () => never): VmImports {
  return {
    memoryExhausted,
    enterFrame(frame) {
      const run = active();
      const program = run.enter(frame >>> 0);
      if (typeof program === "string") return 0;
      const address = run.instance.address(program);
      run.host.beginCall();
      return address;
    },
    leaveFrame(outcome) {
      const run = active();
      run.leave(outcome);
      if (outcome === RETURNED) run.host.commitCall();
      else run.host.revertCall();
    },
    storageRead() {
      const { host, instance } = active();
      const { mail } = instance;
      mail[2].set(host.storageRead(mail[0], mail[1]));
    },
    storageWrite(canPayCold) {
      const { host, instance, contract } = active();
      const { mail } = instance;
      return WRITE_OUTCOMES[host.storageWrite(contract, mail[0], mail[1], canPayCold !== 0)];
    },
    noteHashExists(index) {
      const { host, instance } = active();
      return host.noteHashExists(instance.mail[0], BigInt.asUintN(64, index)) ? 1 : 0;
    },
    emitNoteHash() {
      const { host, instance, contract } = active();
      return limit(host.emitNoteHash(contract, instance.mail[0]));
    },
    nullifierExists() {
      const { host, instance } = active();
      return host.nullifierExists(instance.mail[0]) ? 1 : 0;
    },
    emitNullifier() {
      const run = active();
      const nullifier = run.instance.mail[0];
      const outcome = run.host.emitNullifier(run.contract, nullifier);
      if (outcome === "duplicate") run.refusedNullifier = run.instance.mail[0].slice();
      return NULLIFIER_OUTCOMES[outcome];
    },
    l1ToL2MessageExists(index) {
      const { host, instance } = active();
      return host.l1ToL2MessageExists(instance.mail[0], BigInt.asUintN(64, index)) ? 1 : 0;
    },
    contractInstance(member) {
      const { host, instance } = active();
      const found = host.contractInstance(instance.mail[0]);
      if (found === undefined) return 0;
      instance.mail[1].set(found[VM_INSTANCE_MEMBERS[member]] ?? FR_ZERO);
      return 1;
    },
    emitPublicLog(fields, count) {
      const { host, instance, contract } = active();
      const at = fields >>> 0;
      return limit(host.emitPublicLog(contract, instance.bytes.subarray(at, at + count * 32)));
    },
    sendL2ToL1Message() {
      const { host, instance, contract } = active();
      return limit(host.sendL2ToL1Message(contract, instance.mail[0], instance.mail[1]));
    },
    admitDebugLog(levelTag, level, sizeTag, messageSize, fieldsSize) {
      if (levelTag !== TAG_U8) throw new DebugLogError(`its level must have tag U8, it has ${tagName(levelTag)}`);
      if (sizeTag !== TAG_U32) throw new DebugLogError(`its size must have tag U32, it has ${tagName(sizeTag)}`);
      if (level > MAX_LOG_LEVEL) throw new DebugLogError(`its level must be 0 to ${MAX_LOG_LEVEL}, it is ${level}`);
      const reads = 2 + messageSize + (fieldsSize >>> 0);
      const room = active().host.debugLogRoom();
      if (reads > room) throw new DebugLogError(`it reads ${reads} cells, the transaction may read ${room} more`);
    },
    debugLog(level, message, messageSize, fields, fieldsSize) {
      const { host, instance, contract } = active();
      const from = fields >>> 0;
      const text = message >>> 0;
      const { bytes } = instance;
      host.debugLog(contract, level, bytes.slice(text, text + messageSize), bytes.slice(from, from + fieldsSize * 32));
    },
  };
}
