import { isApiKey } from './api-key.ts'
import { parseBasic } from './basic.ts'
import { type Digest, sameDigest, sha256Hex } from './digest.ts'
import type { KeyRecord, KeyStore } from './key-store.ts'
import type { Project } from './project.ts'

/**
 * - `no_key`: the call carries no key.
 * - `unknown_key`: no project has this key.
 * - `wrong_secret`: credentials came that are malformed or do not fit the key.
 * - `secret_required`: the project requires a secret and none came.
 */
export type AuthFailure = 'no_key' | 'unknown_key' | 'wrong_secret' | 'secret_required'

/** Who is calling, or why that is not known. */
export type AuthResult =
  | { readonly project: Project; readonly keyId: string; readonly failure?: undefined }
  | { readonly failure: AuthFailure; readonly project?: undefined }

/**
 * Tells who is calling by the key of the URL's path and the value of the `Authorization` header.
 * Answers synchronously where the key store does; rejects only with what the store threw.
 */
export type Authenticate = (
  key: string | undefined,
  authorization: string | undefined,
) => AuthResult | Promise<AuthResult>

export interface AuthenticatorOptions {
  readonly keys: KeyStore
  /** Default {@link sha256Hex}. It must be the digest that the store was filled with. */
  readonly sha256?: Digest
}

const failed: Readonly<Record<AuthFailure, AuthResult>> = {
  no_key: { failure: 'no_key' },
  unknown_key: { failure: 'unknown_key' },
  wrong_secret: { failure: 'wrong_secret' },
  secret_required: { failure: 'secret_required' },
}

/** The digest of no known text: what a secret is compared with where the key is unknown or has none. */
const nobodysDigest = '0'.repeat(64)

/**
 * Checks callers against a key store (Spec §5): a key alone suffices unless its project requires a secret, and a
 * secret that is sent must be right in any case. The user of HTTP Basic is empty or the key itself.
 */
export function createAuthenticator({ keys, sha256 = sha256Hex }: AuthenticatorOptions): Authenticate {
  function judge(record: KeyRecord | undefined, key: string, authorization: string | undefined): AuthResult {
    if (authorization === undefined || authorization === '') {
      if (record === undefined) return failed.unknown_key
      return record.project.requireSecret ? failed.secret_required : { project: record.project, keyId: record.id }
    }
    // The same work for known and unknown keys, so that time does not tell them apart.
    const basic = parseBasic(authorization)
    const secretFits = sameDigest(sha256(basic?.password ?? ''), record?.secretDigest ?? nobodysDigest)
    if (record === undefined) return failed.unknown_key
    const userFits = basic !== undefined && (basic.user === '' || basic.user === key)
    return secretFits && userFits ? { project: record.project, keyId: record.id } : failed.wrong_secret
  }

  return (key, authorization) => {
    if (key === undefined || key === '') return failed.no_key
    if (!isApiKey(key)) return failed.unknown_key
    const found = keys.find(sha256(key))
    if (found instanceof Promise) return found.then((record) => judge(record, key, authorization))
    return judge(found, key, authorization)
  }
}
