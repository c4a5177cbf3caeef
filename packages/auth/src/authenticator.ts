import { parseBasic } from './basic.ts'
import type { AccessGrant } from './decision.ts'
import { systemNow } from './defaults.ts'
import { type Digest, keyIdLength, sameDigest, sha256Hex } from './digest.ts'
import { parseBearer } from './jwt/token-header.ts'
import type { TokenVerifier, VerifiedToken, WrongToken } from './jwt/token-verifier.ts'
import { isApiKey } from './key-format.ts'
import { type KeyRecord, type KeyStore, maxSecrets, type SecretRecord } from './key-store.ts'
import type { Project } from './project.ts'
import { overrideRules } from './rules/rules.ts'

/**
 * The reason why a caller is not known.
 *
 * - `no_key`: the call carries no key.
 * - `unknown_key`: no project has this key.
 * - `revoked`: a project has or had this key, but it is disabled or removed, or has expired. Tell callers the same as for `unknown_key`.
 * - `wrong_secret`: credentials came that are malformed or do not fit the key.
 * - `secret_required`: the project requires a secret and none came.
 * - `wrong_token`: a JWT came that is malformed, expired, meant for others, or not signed by a key of the project.
 * - `token_required`: the project requires a JWT and none came.
 */
export type AuthFailure =
  | 'no_key'
  | 'unknown_key'
  | 'revoked'
  | 'wrong_secret'
  | 'secret_required'
  | 'wrong_token'
  | 'token_required'

/** The project of the caller with the rules that hold for them, or the reason why it is not known. */
export type AuthResult =
  | (AccessGrant & {
      readonly keyId: string
      /** Milliseconds since 1970 at which key, secret or token run out, for connections that outlive them; undefined: never. */
      readonly expiresAt?: number | undefined
      readonly failure?: undefined
    })
  | {
      readonly failure: AuthFailure
      /** Names the key in logs: its id, or the first digits of its digest where nobody has it; undefined where none came. */
      readonly keyId?: string | undefined
      /** Words the cause of `revoked` and `wrong_token` for logs. It holds nothing of a key or a token. */
      readonly why?: string | undefined
      readonly project?: undefined
    }

/**
 * Finds the caller's project by the key of the URL's path and the value of the `Authorization` header. It answers synchronously if the key
 * store does, but for a JWT that it sees for the first time. It rejects only with an error of the store or of the token verifier.
 * `digestOf`: makes the key's digest in place of the authenticator's own, for a host that remembers that of a connection.
 */
export type Authenticate = (
  key: string | undefined,
  authorization: string | undefined,
  digestOf?: Digest,
) => AuthResult | Promise<AuthResult>

export interface AuthenticatorOptions {
  readonly keys: KeyStore
  /** Verifies JWTs; without one all of them are wrong. */
  readonly tokens?: TokenVerifier
  /** Default {@link sha256Hex}. It must be the digest that the store was filled with. */
  readonly sha256?: Digest
  /** Wall clock in milliseconds since 1970. */
  readonly now?: () => number
}

const failed = {
  no_key: { failure: 'no_key' },
  unknown_key: { failure: 'unknown_key' },
  wrong_secret: { failure: 'wrong_secret' },
  secret_required: { failure: 'secret_required' },
  token_required: { failure: 'token_required' },
} as const satisfies Record<string, AuthResult>

/** The digest of no known text, to compare a secret with if the key is unknown or has none. */
const nobodysDigest = '0'.repeat(64)

/**
 * Makes a check of callers against a key store (Spec §5). A key alone suffices unless its project requires a secret or a JWT. A secret or a
 * JWT that is sent must be right in any case. The user of HTTP Basic is empty or the key itself. The lists among the claims of a JWT take
 * the place of the project's.
 */
export function createAuthenticator({
  keys,
  tokens,
  sha256 = sha256Hex,
  now = systemNow,
}: AuthenticatorOptions): Authenticate {
  function judge(found: KeyRecord | undefined, key: string, digest: string, authorization: string | undefined) {
    const result = judgeAll(ifLive(found), key, digest, authorization)
    return result instanceof Promise
      ? result.then((late) => withKey(late, found, digest))
      : withKey(result, found, digest)
  }

  function judgeAll(record: KeyRecord | undefined, key: string, digest: string, authorization: string | undefined) {
    if (authorization === undefined || authorization === '') return judgeKey(record)
    const token = parseBearer(authorization)
    return token === undefined ? judgeBasic(record, key, authorization) : judgeToken(record, digest, token)
  }

  /** Names the key of a failure, and distinguishes a revoked one from one that nobody has. */
  function withKey(result: AuthResult, found: KeyRecord | undefined, digest: string): AuthResult {
    if (result.failure === undefined) return result
    if (result.failure !== 'unknown_key') return { ...result, keyId: found?.id }
    const revoked = keys.revoked?.(digest) ?? (found && { id: found.id, why: 'the key has expired' })
    if (revoked === undefined) return { failure: 'unknown_key', keyId: digest.slice(0, keyIdLength) }
    return { failure: 'revoked', keyId: revoked.id, why: revoked.why }
  }

  function ifLive(record: KeyRecord | undefined): KeyRecord | undefined {
    return record?.expiresAt !== undefined && record.expiresAt <= now() ? undefined : record
  }

  function judgeKey(record: KeyRecord | undefined): AuthResult {
    if (record === undefined) return failed.unknown_key
    const { project } = record
    if (project.requireJwt === true) return failed.token_required
    if (project.requireSecret) return failed.secret_required
    return admit(record, project, project.rules, record.expiresAt)
  }

  function judgeBasic(record: KeyRecord | undefined, key: string, authorization: string): AuthResult {
    // The same work for known and unknown keys, so that time does not tell them apart.
    const basic = parseBasic(authorization)
    const secret = findSecret(record?.secrets ?? none, sha256(basic?.password ?? ''))
    if (record === undefined) return failed.unknown_key
    const userFits = basic !== undefined && (basic.user === '' || basic.user === key)
    if (secret === undefined || !userFits) return failed.wrong_secret
    const { project } = record
    if (project.requireJwt === true) return failed.token_required
    const rules = project.secretBypassesRules === true ? undefined : project.rules
    return admit(record, project, rules, earlier(record.expiresAt, secret.expiresAt))
  }

  function findSecret(secrets: readonly SecretRecord[], digest: string): SecretRecord | undefined {
    let found: SecretRecord | undefined
    for (let i = 0; i < maxSecrets; i++) {
      const secret = secrets[i]
      if (sameDigest(digest, secret?.digest ?? nobodysDigest)) found = secret
    }
    return found?.expiresAt !== undefined && found.expiresAt <= now() ? undefined : found
  }

  function judgeToken(record: KeyRecord | undefined, digest: string, token: string): AuthResult | Promise<AuthResult> {
    const { jwtKeys = none, jwtAudience: audience, jwtLeewayMs: leewayMs } = record?.project ?? noProject
    const verified = tokens?.verify(token, jwtKeys, { audience, leewayMs })
    if (record === undefined) return failed.unknown_key
    if (!(verified instanceof Promise)) return admitToken(record, verified)
    return verified.then((found) => {
      if ('wrong' in found) return admitToken(record, found)
      // The key may have been revoked, or its project changed, while the signature was checked.
      const current = keys.find(digest)
      const isSame = current === record || current instanceof Promise
      return isSame ? admitToken(record, found) : judgeToken(ifLive(current), digest, token)
    })
  }

  function admitToken(record: KeyRecord, token: VerifiedToken | WrongToken | undefined): AuthResult {
    if (token === undefined || 'wrong' in token) return { failure: 'wrong_token', why: token?.wrong }
    const { project } = record
    return admit(record, project, overrideRules(project.rules, token.rules), earlier(record.expiresAt, token.expiresAt))
  }

  function admit(
    record: KeyRecord,
    project: Project,
    rules: Project['rules'],
    expiresAt: number | undefined,
  ): AuthResult {
    keys.touch?.(record)
    return { project, keyId: record.id, rules, expiresAt }
  }

  return (key, authorization, digestOf = sha256) => {
    if (key === undefined || key === '') return failed.no_key
    if (!isApiKey(key)) return failed.unknown_key
    const digest = digestOf(key)
    const found = keys.find(digest)
    if (found instanceof Promise) return found.then((record) => judge(record, key, digest, authorization))
    return judge(found, key, digest, authorization)
  }
}

const none: readonly never[] = []
const noProject: Pick<Project, 'jwtKeys' | 'jwtAudience' | 'jwtLeewayMs'> = {}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}
