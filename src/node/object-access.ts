import { reveal } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import type { ObjectStoreAccess } from "../storage/objects/open-store.ts";

/** The configured right to read and write object stores. */
export function objectStoreAccess(values: Values): ObjectStoreAccess {
  const { awsAccessKeyId: accessKeyId, awsRegion } = values;
  const secretAccessKey = reveal(values.awsSecretAccessKey);
  return {
    awsCredentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey, sessionToken: reveal(values.awsSessionToken) },
    awsRegion,
    googleCredentialsFile: values.googleApplicationCredentials,
    googleEndpoint: values.googleStorageEndpoint,
  };
}
