import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { ObjectStoreUrlError } from "./errors.ts";
import type { ObjectTransport } from "./object-transport.ts";

/** Includes writing objects and setting their ACLs. */
const SCOPE = "https://www.googleapis.com/auth/devstorage.full_control";
const LIFETIME_S = 3600;
/** Tokens are renewed this long before they expire. */
const MARGIN_MS = 60_000;

interface ServiceAccount {
  email: string;
  keyId: string | undefined;
  key: KeyObject;
  tokenUrl: URL;
}

/** Reads a service account's key file. Throws an ObjectStoreUrlError if the file is invalid. */
export function readServiceAccount(file: string): ServiceAccount {
  const refuse = (rule: string, cause?: unknown) =>
    new ObjectStoreUrlError(file, `GOOGLE_APPLICATION_CREDENTIALS: ${rule}`, { cause });
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(code === undefined ? "the file must be JSON" : `the file cannot be read (${code})`);
  }
  const text = (name: string): string => {
    const value = record?.[name];
    if (typeof value !== "string" || value === "") throw refuse(`the file must have the text ${name}`);
    return value;
  };
  if (text("type") !== "service_account") throw refuse("the file must be the key of a service account");
  const tokenUrl = URL.parse(text("token_uri"));
  if (tokenUrl === null || !/^https?:$/.test(tokenUrl.protocol)) throw refuse("token_uri must be an http(s) URL");
  try {
    const key = createPrivateKey(text("private_key"));
    const keyId = typeof record.private_key_id === "string" ? record.private_key_id : undefined;
    return { email: text("client_email"), keyId, key, tokenUrl };
  } catch (error) {
    if (error instanceof ObjectStoreUrlError) throw error;
    // No cause, because it may contain parts of the key.
    throw refuse("private_key must be a PEM key");
  }
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The signed JWT that is exchanged for an access token (RFC 7523; RS256 as of RFC 7518 section 3.3). */
function signedClaim({ email, keyId, key, tokenUrl }: ServiceAccount, now: Date): string {
  const issued = Math.floor(now.getTime() / 1000);
  const header = part({ alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) });
  const claims = part({ iss: email, scope: SCOPE, aud: tokenUrl.href, iat: issued, exp: issued + LIFETIME_S });
  const signature = sign("RSA-SHA256", Buffer.from(`${header}.${claims}`), key).toString("base64url");
  return `${header}.${claims}.${signature}`;
}

/** Access tokens of a service account, cached until shortly before they expire. */
export class AccessTokens {
  readonly #account: ServiceAccount;
  readonly #transport: ObjectTransport;
  #current: { token: Promise<string>; until: number } | undefined;

  constructor(account: ServiceAccount, transport: ObjectTransport) {
    this.#account = account;
    this.#transport = transport;
  }

  /** Throws an ObjectStoreError when the account's token server refuses. */
  token(): Promise<string> {
    if (this.#current === undefined || Date.now() > this.#current.until) {
      const fresh = { token: this.#ask(), until: Date.now() + LIFETIME_S * 1000 - MARGIN_MS };
      this.#current = fresh;
      fresh.token.catch(() => {
        if (this.#current === fresh) this.#current = undefined;
      });
    }
    return this.#current.token;
  }

  async #ask(): Promise<string> {
    const { tokenUrl, email } = this.#account;
    const body = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: signedClaim(this.#account, new Date()),
    }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const reply = await this.#transport.whole("authorize", email, { method: "POST", url: tokenUrl, headers, body });
    if (reply.status !== 200) {
      throw this.#transport.fail("authorize", email, `the token server answers HTTP status ${reply.status}`);
    }
    try {
      const { access_token: token } = JSON.parse(reply.body.toString());
      if (typeof token === "string" && token !== "") return token;
    } catch {}
    throw this.#transport.fail("authorize", email, "the token server's answer has no access_token");
  }
}
