import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { PrivateKey } from "./private-key.ts";

/** An encrypted key file breaks a rule, or the password is wrong. The message is a clause without secrets. */
export class EncryptedKeyError extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = "EncryptedKeyError";
  }
}

/** Memory limit of one scrypt derivation: eight times what common wallets use. */
const MAX_SCRYPT_BYTES = 2 ** 31;
const MAX_PBKDF2_ROUNDS = 10_000_000;

const scryptAsync = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
const pbkdf2Async = promisify(pbkdf2);

/**
 * Decrypts a V3 key file (Web3 Secret Storage Definition: scrypt or PBKDF2-SHA256, AES-128-CTR, Keccak-256 MAC). The
 * key derivation does not block this thread. Throws EncryptedKeyError.
 */
export async function decryptKeyFile(text: string, password: string): Promise<PrivateKey> {
  const file = parse(text);
  const derived = await deriveKey(file, password);
  const mac = keccak_256(Buffer.concat([derived.subarray(16, 32), file.ciphertext]));
  if (!timingSafeEqual(mac, file.mac)) throw new EncryptedKeyError("cannot be decrypted with the given password");
  const cipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), file.iv);
  let key: PrivateKey;
  try {
    key = new PrivateKey(Buffer.concat([cipher.update(file.ciphertext), cipher.final()]));
  } catch {
    throw new EncryptedKeyError("must hold a 32-byte secp256k1 key");
  }
  if (file.address !== undefined && file.address !== key.address) {
    throw new EncryptedKeyError(`states address ${file.address} but holds the key of ${key.address}`);
  }
  return key;
}

interface Encrypted {
  ciphertext: Uint8Array;
  iv: Uint8Array;
  mac: Uint8Array;
  kdf: string;
  kdfparams: Record<string, unknown>;
  address: string | undefined;
}

type Json = Record<string, unknown>;

function asObject(value: unknown, name: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new EncryptedKeyError(`${name} must be an object`);
}

function hex(value: unknown, name: string, bytes?: number): Uint8Array {
  const digits = typeof value === "string" ? /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value)?.[1] : undefined;
  if (digits === undefined || (bytes !== undefined && digits.length !== 2 * bytes)) {
    throw new EncryptedKeyError(`${name} must be hex${bytes === undefined ? "" : ` of ${bytes} bytes`}`);
  }
  return Buffer.from(digits, "hex");
}

function whole(value: unknown, name: string, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw new EncryptedKeyError(`${name} must be a whole number from ${least} to ${most}`);
}

function parse(text: string): Encrypted {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new EncryptedKeyError("must be JSON");
  }
  const root = asObject(json, "the file");
  if (root.version !== 3) throw new EncryptedKeyError("version must be 3");
  // Old wallets capitalize the key.
  const crypto = asObject(root.crypto ?? root.Crypto, "crypto");
  if (crypto.cipher !== "aes-128-ctr") throw new EncryptedKeyError("crypto.cipher must be aes-128-ctr");
  return {
    ciphertext: hex(crypto.ciphertext, "crypto.ciphertext"),
    iv: hex(asObject(crypto.cipherparams, "crypto.cipherparams").iv, "crypto.cipherparams.iv", 16),
    mac: hex(crypto.mac, "crypto.mac", 32),
    kdf: String(crypto.kdf),
    kdfparams: asObject(crypto.kdfparams, "crypto.kdfparams"),
    address:
      root.address === undefined ? undefined : `0x${Buffer.from(hex(root.address, "address", 20)).toString("hex")}`,
  };
}

async function deriveKey({ kdf, kdfparams }: Encrypted, password: string): Promise<Uint8Array> {
  const name = (key: string) => `crypto.kdfparams.${key}`;
  const salt = hex(kdfparams.salt, name("salt"));
  whole(kdfparams.dklen, name("dklen"), 32, 32);
  if (kdf === "pbkdf2") {
    if (kdfparams.prf !== "hmac-sha256") throw new EncryptedKeyError(`${name("prf")} must be hmac-sha256`);
    return pbkdf2Async(password, salt, whole(kdfparams.c, name("c"), 1, MAX_PBKDF2_ROUNDS), 32, "sha256");
  }
  if (kdf !== "scrypt") throw new EncryptedKeyError("crypto.kdf must be scrypt or pbkdf2");
  const n = whole(kdfparams.n, name("n"), 2, 2 ** 24);
  const r = whole(kdfparams.r, name("r"), 1, 1024);
  const p = whole(kdfparams.p, name("p"), 1, 1024);
  if ((n & (n - 1)) !== 0) throw new EncryptedKeyError(`${name("n")} must be a power of two`);
  if (128 * n * r + 128 * r * p > MAX_SCRYPT_BYTES) {
    throw new EncryptedKeyError(`crypto.kdfparams must not ask for more than ${MAX_SCRYPT_BYTES} bytes of memory`);
  }
  return scryptAsync(password, salt, 32, { N: n, r, p, maxmem: MAX_SCRYPT_BYTES + 2 ** 20 });
}
