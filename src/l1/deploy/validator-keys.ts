import { bn254 } from "@noble/curves/bn254.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { encodeAbiParameters } from "viem";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../protocol/bytes.ts";

const { Fp } = bn254.fields;
const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;

/** ASCII, left-aligned in 32 bytes. */
const PROOF_OF_POSSESSION_DOMAIN =
  `0x${Buffer.from("AZTEC_BLS_POP_BN254_V1").toString("hex").padEnd(64, "0")}` as const;
const LAST_ATTEMPT = 2n ** 256n - 1n;

export interface G1Coordinates {
  x: bigint;
  y: bigint;
}

/** x0 and y0 are the real parts. */
interface G2Coordinates {
  x0: bigint;
  x1: bigint;
  y0: bigint;
  y1: bigint;
}

/** The public keys that a validator registers with, and the proof of possession of the secret key. */
export interface RegisteredKeys {
  publicKeyInG1: G1Coordinates;
  publicKeyInG2: G2Coordinates;
  proofOfPossession: G1Coordinates;
}

/** The point that a proof of possession of a key signs (docs/protocol/04-l1-contracts.md#434-initial-validators). */
export function registrationDigest({ x, y }: G1Coordinates): G1Coordinates {
  const message = toHex(concat(bigUintBytes(x, 32), bigUintBytes(y, 32))) as `0x${string}`;
  const draw = (attempt: bigint): bigint => {
    const types = [{ type: "bytes32" }, { type: "bytes" }, { type: "uint256" }] as const;
    return readBigUint(keccak_256(fromHex(encodeAbiParameters(types, [PROOF_OF_POSSESSION_DOMAIN, message, attempt]))));
  };
  for (let attempt = 0n; ; attempt++) {
    const candidate = draw(attempt);
    if (candidate >= Fp.ORDER) continue;
    let root: bigint;
    try {
      root = Fp.sqrt(Fp.add(Fp.pow(candidate, 3n), 3n));
    } catch {
      continue;
    }
    const other = Fp.neg(root);
    const [smaller, larger] = root < other ? [root, other] : [other, root];
    return { x: candidate, y: draw(LAST_ATTEMPT) % 2n === 0n ? smaller : larger };
  }
}

/** Public keys and proof of possession of a BLS secret key from 1 to the group order less 1. */
export function registeredKeys(secretKey: bigint): RegisteredKeys {
  const publicKeyInG1 = G1.BASE.multiply(secretKey).toAffine();
  const { x, y } = G2.BASE.multiply(secretKey).toAffine();
  const digest = registrationDigest(publicKeyInG1);
  return {
    publicKeyInG1,
    publicKeyInG2: { x0: x.c0, x1: x.c1, y0: y.c0, y1: y.c1 },
    proofOfPossession: G1.fromAffine(digest).multiply(secretKey).toAffine(),
  };
}

/** A BLS secret key from the system's secure random generator. */
export function randomSecretKey(): bigint {
  return 1n + (readBigUint(crypto.getRandomValues(new Uint8Array(48))) % (bn254.fields.Fr.ORDER - 1n));
}
