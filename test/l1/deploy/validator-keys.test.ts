import { expect, test } from "vitest";
import { type G1Coordinates, registeredKeys, registrationDigest } from "../../../src/l1/deploy/validator-keys.ts";
import { l1Vectors } from "../../world/l1/vectors.ts";

const numbers = (point: Record<string, string>) =>
  Object.fromEntries(Object.entries(point).map(([name, value]) => [name, BigInt(value)]));

test.each(l1Vectors.scenario.validators)(
  "the registered keys and the proof of possession of $address are those of the vectors",
  (validator) => {
    const keys = registeredKeys(BigInt(validator.blsSecretKey));
    expect(keys.publicKeyInG1).toMatchObject(numbers(validator.publicKeyInG1));
    expect(keys.publicKeyInG2).toEqual(numbers(validator.publicKeyInG2));
    expect(keys.proofOfPossession).toMatchObject(numbers(validator.proofOfPossession));
    const digest = registrationDigest(numbers(validator.publicKeyInG1) as unknown as G1Coordinates);
    expect(digest).toEqual(numbers(validator.registrationDigest));
  },
);
