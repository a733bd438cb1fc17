import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { ObjectStoreAccess } from "../../storage/objects/open-store.ts";

/** The configured credentials and endpoints of object stores. */
export function objectStoreAccess(values: PartValues["objectStores"]): ObjectStoreAccess {
  const { awsAccessKeyId: accessKeyId, awsRegion } = values;
  const secretAccessKey = reveal(values.awsSecretAccessKey);
  return {
    awsCredentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey, sessionToken: reveal(values.awsSessionToken) },
    awsRegion,
    googleCredentialsFile: values.googleCredentialsFile,
    googleEndpoint: values.googleEndpoint,
  };
}
