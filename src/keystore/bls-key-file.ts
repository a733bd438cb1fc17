import {
  createCipheriv,
  createDecipheriv,
  createHash,
  pbkdf2,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { fromHex } from "../protocol/bytes.ts";
import { BlsKey } from "./bls-key.ts";
import { constant, EncryptedKeyError, hexBytes, parseKeyFile, wrongPassword } from "./key-file-fields.ts";

const MAX_ROUNDS = 10_000_000;
const ROUNDS = 262_144;

const pbkdf2Async = promisify(pbkdf2);

/** The bytes of a password: NFKD, as EIP-2335 says. */
function derivedKey(password: string, salt: Uint8Array, rounds: number): Promise<Buffer> {
  return pbkdf2Async(Buffer.from(password.normalize("NFKD"), "utf8"), salt, rounds, 32, "sha256");
}

function checksumOf(derived: Uint8Array, ciphertext: Uint8Array): Buffer {
  return createHash("sha256").update(derived.subarray(16, 32)).update(ciphertext).digest();
}

/**
 * Decrypts a file of a BLS key in the form of EIP-2335, version 4, with PBKDF2-SHA256 and AES-128-CTR. The key
 * derivation does not block this thread. Throws EncryptedKeyError.
 */
export async function decryptBlsKeyFile(text: string, password: string): Promise<BlsKey> {
  const root = parseKeyFile(text);
  constant(root.key("version"), 4);
  const module = (name: string, functions: string) => {
    const found = root.key("crypto").key(name);
    found.object();
    constant(found.key("function"), functions);
    found.key("params").object();
    return { params: found.key("params"), message: found.key("message") };
  };
  root.key("crypto").object();
  const kdf = module("kdf", "pbkdf2");
  const checksum = module("checksum", "sha256");
  const cipher = module("cipher", "aes-128-ctr");
  constant(kdf.params.key("prf"), "hmac-sha256");
  kdf.params.key("dklen").whole(32, 32);
  const rounds = kdf.params.key("c").whole(1, MAX_ROUNDS);
  const derived = await derivedKey(password, hexBytes(kdf.params.key("salt")), rounds);
  const ciphertext = hexBytes(cipher.message, 32);
  const expected = hexBytes(checksum.message, 32);
  if (!timingSafeEqual(checksumOf(derived, ciphertext), expected)) {
    throw wrongPassword(password);
  }
  const iv = hexBytes(cipher.params.key("iv"), 16);
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  let key: BlsKey;
  try {
    key = new BlsKey(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
  } catch {
    throw new EncryptedKeyError("must hold a BN254 secret key");
  }
  const { value: pubkey } = root.key("pubkey");
  const stated = typeof pubkey === "string" ? pubkey.toLowerCase().replace(/^0x/, "") : "";
  // Only the compressed form can be compared.
  if (stated.length === 64 && `0x${stated}` !== key.publicKey) {
    throw new EncryptedKeyError(`states public key 0x${stated} but holds the key of ${key.publicKey}`);
  }
  return key;
}

/** The text of an encrypted file of a BLS key. Where it was derived is left open. */
export async function encryptBlsKeyFile(key: BlsKey, password: string): Promise<string> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const derived = await derivedKey(password, salt, ROUNDS);
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(fromHex(key.revealText())), cipher.final()]);
  const pubkey = key.publicKey;
  const file = {
    crypto: {
      kdf: {
        function: "pbkdf2",
        params: { dklen: 32, c: ROUNDS, prf: "hmac-sha256", salt: salt.toString("hex") },
        message: "",
      },
      checksum: { function: "sha256", params: {}, message: checksumOf(derived, ciphertext).toString("hex") },
      cipher: { function: "aes-128-ctr", params: { iv: iv.toString("hex") }, message: ciphertext.toString("hex") },
    },
    description: pubkey.slice(2),
    pubkey,
    path: "",
    uuid: randomUUID(),
    version: 4,
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
