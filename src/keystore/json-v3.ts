import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { JsonField } from "../json/json-field.ts";
import { constant, EncryptedKeyError, hexBytes, parseKeyFile, wrongPassword } from "./key-file-fields.ts";
import { PrivateKey } from "./private-key.ts";

/** Memory limit of one scrypt derivation: eight times what common wallets use. */
const MAX_SCRYPT_BYTES = 2 ** 31;
/** Limit of n * r * p, which the time of a derivation grows with: 32 times what common wallets use. */
const MAX_SCRYPT_WORK = 2 ** 26;
const MAX_PBKDF2_ROUNDS = 10_000_000;

const scryptAsync = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
const pbkdf2Async = promisify(pbkdf2);

/**
 * Decrypts a V3 key file (Web3 Secret Storage Definition: scrypt or PBKDF2-SHA256, AES-128-CTR, Keccak-256 MAC). The
 * key derivation does not block this thread. Throws EncryptedKeyError.
 */
export async function decryptKeyFile(text: string, password: string): Promise<PrivateKey> {
  const file = parse(text);
  const derived = await unlockingKey(file, password);
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

/** Wallets disagree whether a password is normalized (NFKC) before it is hashed, so both forms are tried. */
async function unlockingKey(file: Encrypted, password: string): Promise<Uint8Array> {
  for (const form of new Set([password.normalize("NFKC"), password])) {
    const derived = await deriveKey(file, form);
    const mac = keccak_256(Buffer.concat([derived.subarray(16, 32), file.ciphertext]));
    if (timingSafeEqual(mac, file.mac)) return derived;
  }
  throw wrongPassword(password);
}

interface Encrypted {
  ciphertext: Uint8Array;
  iv: Uint8Array;
  mac: Uint8Array;
  kdf: string;
  kdfparams: JsonField;
  address: string | undefined;
}

function parse(text: string): Encrypted {
  const root = parseKeyFile(text);
  constant(root.key("version"), 3);
  // Old wallets capitalize the key.
  const crypto = root.key(root.key("crypto").given || !root.has("Crypto") ? "crypto" : "Crypto");
  const [params, kdfparams] = [crypto.key("cipherparams"), crypto.key("kdfparams")];
  crypto.object();
  constant(crypto.key("cipher"), "aes-128-ctr");
  params.object();
  kdfparams.object();
  return {
    ciphertext: hexBytes(crypto.key("ciphertext")),
    iv: hexBytes(params.key("iv"), 16),
    mac: hexBytes(crypto.key("mac"), 32),
    kdf: String(crypto.key("kdf").value),
    kdfparams,
    address: root.key("address").optional((address) => `0x${Buffer.from(hexBytes(address, 20)).toString("hex")}`),
  };
}

async function deriveKey({ kdf, kdfparams }: Encrypted, password: string): Promise<Uint8Array> {
  const salt = hexBytes(kdfparams.key("salt"));
  kdfparams.key("dklen").whole(32, 32);
  if (kdf === "pbkdf2") {
    constant(kdfparams.key("prf"), "hmac-sha256");
    return pbkdf2Async(password, salt, kdfparams.key("c").whole(1, MAX_PBKDF2_ROUNDS), 32, "sha256");
  }
  if (kdf !== "scrypt") throw new EncryptedKeyError("crypto.kdf must be scrypt or pbkdf2");
  const n = kdfparams.key("n").whole(2, 2 ** 24);
  const r = kdfparams.key("r").whole(1, 1024);
  const p = kdfparams.key("p").whole(1, 1024);
  if ((n & (n - 1)) !== 0) kdfparams.key("n").broken("must be a power of two");
  if (128 * n * r + 128 * r * p > MAX_SCRYPT_BYTES) {
    kdfparams.broken(`must not ask for more than ${MAX_SCRYPT_BYTES} bytes of memory`);
  }
  if (n * r * p > MAX_SCRYPT_WORK) {
    kdfparams.broken(`must not ask for more work than n * r * p = ${MAX_SCRYPT_WORK}`);
  }
  return scryptAsync(password, salt, 32, { N: n, r, p, maxmem: MAX_SCRYPT_BYTES + 2 ** 20 });
}

/** Cost of new files, that of common wallets: 128 MiB of memory. */
const NEW_FILE_COST = { n: 2 ** 17, r: 8, p: 1 };

/** The text of an encrypted V3 file of a key. */
export async function encryptKeyFile(key: PrivateKey, password: string): Promise<string> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const { n, r, p } = NEW_FILE_COST;
  const cost = { N: n, r, p, maxmem: MAX_SCRYPT_BYTES };
  const derived = await scryptAsync(password.normalize("NFKC"), salt, 32, cost);
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(key.reveal()), cipher.final()]);
  const mac = Buffer.from(keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext])));
  const file = {
    version: 3,
    id: randomUUID(),
    address: key.address.slice(2),
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: iv.toString("hex") },
      ciphertext: ciphertext.toString("hex"),
      kdf: "scrypt",
      kdfparams: { ...NEW_FILE_COST, dklen: 32, salt: salt.toString("hex") },
      mac: mac.toString("hex"),
    },
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
