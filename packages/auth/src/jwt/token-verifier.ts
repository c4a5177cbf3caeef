import { systemNow } from '../defaults.ts'
import { type Digest, sha256Hex } from '../digest.ts'
import { AuthError } from '../error.ts'
import { parseClaimRules, type Rules } from '../rules/rules.ts'
import type { JwtKey } from './jwt-key.ts'
import { hasRepeatedMember } from './repeated-member.ts'
import { readTokenHeader } from './token-header.ts'

/** A JWT whose signature and claims were found right. */
export interface VerifiedToken {
  /** Names the key that signed it. */
  readonly kid: string
  readonly fingerprint: string
  /** The audience that it was checked for. */
  readonly audience: string
  /** Milliseconds since 1970 from which on it is wrong. */
  readonly expiresAt: number
  /** The allowlists among its claims. */
  readonly rules: Rules
}

/** Verifies JWTs against the keys of a project. */
export interface TokenVerifier {
  /**
   * Undefined: the token is wrong, for whatever reason. It answers at once for a token that it knows, and where header or form are wrong.
   * It rejects with AuthError `invalid_jwt_key` if the project's key cannot be used. `audience`: the project's, in place of the verifier's.
   */
  verify(
    token: string,
    keys: readonly JwtKey[],
    audience?: string,
  ): VerifiedToken | undefined | Promise<VerifiedToken | undefined>
}

export interface TokenVerifierOptions {
  /** The audience that the claim `aud` must be or hold, unless the project has one of its own. */
  readonly audience: string
  /** Most verified tokens that are kept, each by its digest. Default 10,000. */
  readonly maxTokens?: number
  /** Milliseconds by which an issuer's clock may be wrong, for `exp` and `nbf`. Default 0. */
  readonly leewayMs?: number
  /** Default {@link sha256Hex}. */
  readonly sha256?: Digest
  /** Wall clock in milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Creates a verifier of RS256 and ES256 (RFC 7515, RFC 7519). A verified token is kept until it expires; it serves no longer than the
 * project holds the key that signed it. `jose` is loaded with the first signature to check.
 */
export function createTokenVerifier({
  audience: ownAudience,
  maxTokens = 10_000,
  leewayMs = 0,
  sha256 = sha256Hex,
  now = systemNow,
}: TokenVerifierOptions): TokenVerifier {
  const verified = new Map<string, VerifiedToken>()
  const pending = new Map<string, Promise<VerifiedToken | undefined>>()
  /** The last check with each key. They run one after the other: forged tokens of a slow key leave threads to others. */
  const last = new WeakMap<JwtKey, Promise<unknown>>()

  function checkInTurn(token: string, key: JwtKey, audience: string): Promise<VerifiedToken | undefined> {
    const run = (): Promise<VerifiedToken | undefined> => check(token, key, audience)
    const checking = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, checking)
    return checking
  }

  async function check(token: string, key: JwtKey, audience: string): Promise<VerifiedToken | undefined> {
    const payload = await verifySignature(token, key)
    return payload === undefined ? undefined : readClaims(payload, key, { audience, leewayMs, now: now() })
  }

  function keep(digest: string, token: VerifiedToken): void {
    verified.delete(digest)
    verified.set(digest, token)
    // The oldest goes first; it costs its caller another check of the signature.
    if (verified.size > maxTokens) verified.delete(verified.keys().next().value!)
  }

  return {
    verify(token, keys, audience = ownAudience) {
      if (token.length > maxTokenLength) return undefined
      const digest = sha256(token)
      const known = verified.get(digest)
      if (known?.audience === audience && keys.some((key) => isSignedBy(known, key))) {
        if (known.expiresAt > now()) return known
        verified.delete(digest)
        return undefined
      }
      const header = readTokenHeader(token)
      const key =
        header === undefined ? undefined : keys.find(({ kid, alg }) => kid === header.kid && alg === header.alg)
      if (key === undefined) return undefined
      const name = `${key.kid} ${key.fingerprint} ${digest} ${audience}`
      const running = pending.get(name)
      if (running !== undefined) return running
      const checking = checkInTurn(token, key, audience)
        .then((found) => {
          if (found !== undefined) keep(digest, found)
          return found
        })
        .finally(() => pending.delete(name))
      pending.set(name, checking)
      return checking
    },
  }
}

function isSignedBy(token: VerifiedToken, { kid, fingerprint }: JwtKey): boolean {
  return token.kid === kid && token.fingerprint === fingerprint
}

const maxTokenLength = 8_192
/** Keys as the platform imports them; an entry goes with its key. */
const imported = new WeakMap<JwtKey, Promise<CryptoKey>>()

function loadJose() {
  return Promise.all([import('jose/jws/compact/verify'), import('jose/key/import')] as const)
}

async function verifySignature(token: string, key: JwtKey): Promise<Uint8Array | undefined> {
  const [{ compactVerify }, { importSPKI }] = await loadJose()
  let importing = imported.get(key)
  if (importing === undefined) {
    importing = importSPKI(key.pem, key.alg)
    imported.set(key, importing)
  }
  const publicKey = await importing.catch((cause: unknown) => {
    throw new AuthError('invalid_jwt_key', `the JWT key "${key.kid}" cannot be used: upload it again`, { cause })
  })
  try {
    return (await compactVerify(token, publicKey, { algorithms: [key.alg] })).payload
  } catch {
    return undefined
  }
}

interface ClaimChecks {
  readonly audience: string
  readonly leewayMs: number
  readonly now: number
}

/** Checks the claims of RFC 7519 §4.1 and reads our own; undefined if any is wrong. */
function readClaims(
  payload: Uint8Array,
  key: JwtKey,
  { audience, leewayMs, now }: ClaimChecks,
): VerifiedToken | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(payload)
    const claims: unknown = JSON.parse(text)
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined
    if (hasRepeatedMember(text)) return undefined
    const { aud, exp, nbf = 0 } = claims as Readonly<Record<string, unknown>>
    if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) return undefined
    if (typeof exp !== 'number' || typeof nbf !== 'number' || !Number.isFinite(exp)) return undefined
    const expiresAt = exp * 1_000 + leewayMs
    if (!(expiresAt > now) || nbf * 1_000 - leewayMs > now) return undefined
    const rules = parseClaimRules(claims as Readonly<Record<string, unknown>>)
    return { kid: key.kid, fingerprint: key.fingerprint, audience, expiresAt, rules }
  } catch {
    return undefined
  }
}
