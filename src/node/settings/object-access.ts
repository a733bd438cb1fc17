import { reveal } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import type { ObjectStoreAccess } from "../../storage/objects/open-store.ts";

export type ObjectStoreSettings = Pick<
  Values,
  | "awsAccessKeyId"
  | "awsRegion"
  | "awsSecretAccessKey"
  | "awsSessionToken"
  | "googleApplicationCredentials"
  | "googleStorageEndpoint"
>;

/** The configured credentials and endpoints of object stores. */
export function objectStoreAccess(values: ObjectStoreSettings): ObjectStoreAccess {
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
