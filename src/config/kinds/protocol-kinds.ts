import { isIPv4 } from "node:net";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { isCanonicalFr } from "../../protocol/field.ts";
import type { AllowedSetupCall } from "../../protocol/generations/transactions.ts";
import { AllowListError, parseAllowList, printAllowList } from "../../protocol/tx/allow-list.ts";
import type { Kind } from "./kinds.ts";

/** 20-byte L1 address, as lower-case 0x text. */
export const l1Address: Kind<string> = {
  name: "L1 address",
  placeholder: "address",
  rule: "must be 40 hex digits, with or without 0x",
  parse(given) {
    const digits = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(given.trim())?.[1];
    return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
  },
  show: (value) => value,
  json: "L1 address",
};

/** 32-byte L2 address: a canonical field element. */
export const l2Address: Kind<Uint8Array> = {
  name: "L2 address",
  placeholder: "address",
  rule: "must be 64 hex digits of a field element, with or without 0x",
  parse(given) {
    if (!/^(?:0x)?[0-9a-fA-F]{64}$/.test(given.trim())) return undefined;
    const bytes = fromHex(given.trim());
    return isCanonicalFr(bytes) ? bytes : undefined;
  },
  show: toHex,
  json: "L2 address",
};

/** A field element in hex of up to 64 digits. */
export const fieldElement: Kind<Uint8Array> = {
  name: "field element",
  placeholder: "hex",
  rule: "must be 0x and 1 to 64 hex digits of a field element",
  parse(given) {
    const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(given.trim())?.[1];
    return digits === undefined ? undefined : l2Address.parse(`0x${digits.padStart(64, "0")}`);
  },
  show: toHex,
};

/** 32-byte private key, as lower-case 0x text. */
export const privateKey: Kind<string> = {
  name: "private key",
  placeholder: "key",
  rule: "must be 64 hex digits, with or without 0x",
  parse(given) {
    const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(given.trim())?.[1];
    return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
  },
  show: (value) => value,
};

/** Bytes of any length, as lower-case hex without 0x. */
export const hexText: Kind<string> = {
  name: "hex",
  placeholder: "hex",
  rule: "must be hex digits of whole bytes, with or without 0x",
  parse(given) {
    const digits = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/.exec(given.trim())?.[1];
    return digits?.toLowerCase();
  },
  show: (value) => value,
};

/** SHA-256 as lower-case hex (docs/protocol/05-rpc.md#534-admin-access). */
export const sha256Hex: Kind<string> = {
  name: "sha-256",
  placeholder: "hash",
  rule: "must be 64 lower-case hex digits",
  parse: (given) => (/^[0-9a-f]{64}$/.test(given.trim()) ? given.trim() : undefined),
  show: (value) => value,
};

export const ipv4: Kind<string> = {
  name: "IPv4 address",
  placeholder: "address",
  rule: "must be an IPv4 address",
  parse: (given) => (isIPv4(given.trim()) ? given.trim() : undefined),
  show: (value) => value,
};

/** Ethereum Node Record (EIP-778), as base64url text. */
export const enr: Kind<string> = {
  name: "ENR",
  placeholder: "enr",
  rule: "must be enr: and base64url text",
  parse: (given) => (/^enr:[A-Za-z0-9_-]+$/.test(given.trim()) ? given.trim() : undefined),
  show: (value) => value,
};

/** An entry of the list as the admin API sends it, in 0x text. */
interface SentSetupCall {
  address?: string;
  classId?: string;
  selector: string;
  calldataLength?: number;
  onlySelf?: boolean;
  rejectNullMsgSender?: boolean;
}

/** Entries that extend the public setup allow list. */
export const allowList: Kind<readonly AllowedSetupCall[]> = {
  name: "allow list",
  placeholder: "list",
  rule: "must be a comma list of I:address:selector[:flags] or C:classId:selector[:flags]",
  parse(given) {
    try {
      return parseAllowList(given);
    } catch (error) {
      if (error instanceof AllowListError) return undefined;
      throw error;
    }
  },
  fault(given) {
    try {
      parseAllowList(given);
      return undefined;
    } catch (error) {
      if (error instanceof AllowListError) return error.message;
      throw error;
    }
  },
  show: printAllowList,
  json: { listOf: "setup call" },
  fromJson: (sent) =>
    (sent as readonly SentSetupCall[]).map((call) => ({
      ...(call.address === undefined ? { classId: fromHex(call.classId ?? "") } : { address: fromHex(call.address) }),
      selector: fromHex(call.selector),
      ...(call.calldataLength === undefined ? {} : { calldataLength: call.calldataLength }),
      ...(call.onlySelf ? { onlySelf: true } : {}),
      ...(call.rejectNullMsgSender ? { rejectNullMsgSender: true } : {}),
    })),
};
