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
  readonly leewayMs: number
  /** Milliseconds since 1970 from which on it is wrong, the leeway counted. */
  readonly expiresAt: number
  /** The allowlists among its claims. */
  readonly rules: Rules
}

/** A JWT that is wrong. */
export interface WrongToken {
  /** A sentence for logs, which holds nothing of the token. */
  readonly wrong: string
}

/** The checks of a project, in place of the verifier's own. */
export interface TokenChecks {
  readonly audience?: string | undefined
  readonly leewayMs?: number | undefined
}

/** Verifies JWTs against the keys of a project. */
export interface TokenVerifier {
  /**
   * Answers at once for a token that it knows, and where header or form are wrong. It rejects with AuthError `invalid_jwt_key` if the
   * project's key cannot be used.
   */
  verify(
    token: string,
    keys: readonly JwtKey[],
    checks?: TokenChecks,
  ): VerifiedToken | WrongToken | Promise<VerifiedToken | WrongToken>
}

export interface TokenVerifierOptions {
  /** The audience that the claim `aud` must be or hold, unless the project has one of its own. */
  readonly audience: string
  /** Most verified tokens that are kept, each by its digest. Default 10,000. */
  readonly maxTokens?: number
  /** Milliseconds by which an issuer's clock may be wrong, for `exp` and `nbf` (RFC 7519 §4.1.5), unless the project says otherwise. Default 60,000. */
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
  leewayMs: ownLeewayMs = defaultLeewayMs,
  sha256 = sha256Hex,
  now = systemNow,
}: TokenVerifierOptions): TokenVerifier {
  const verified = new Map<string, VerifiedToken>()
  const pending = new Map<string, Promise<VerifiedToken | WrongToken>>()
  /** The last check with each key. They run one after the other: forged tokens of a slow key leave threads to others. */
  const last = new WeakMap<JwtKey, Promise<unknown>>()

  function checkInTurn(
    token: string,
    key: JwtKey,
    checks: Omit<ClaimChecks, 'now'>,
  ): Promise<VerifiedToken | WrongToken> {
    const run = (): Promise<VerifiedToken | WrongToken> => check(token, key, checks)
    const checking = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, checking)
    return checking
  }

  async function check(
    token: string,
    key: JwtKey,
    checks: Omit<ClaimChecks, 'now'>,
  ): Promise<VerifiedToken | WrongToken> {
    const payload = await verifySignature(token, key)
    return payload === undefined ? wrong.signature : readClaims(payload, key, { ...checks, now: now() })
  }

  function keep(digest: string, token: VerifiedToken): void {
    verified.delete(digest)
    verified.set(digest, token)
    // The oldest goes first; it costs its caller another check of the signature.
    if (verified.size > maxTokens) verified.delete(verified.keys().next().value!)
  }

  return {
    verify(token, keys, checks) {
      if (token.length > maxTokenLength) return wrong.length
      const { audience = ownAudience, leewayMs = ownLeewayMs } = checks ?? {}
      const digest = sha256(token)
      const known = verified.get(digest)
      if (known?.audience === audience && known.leewayMs === leewayMs && keys.some((key) => isSignedBy(known, key))) {
        if (known.expiresAt > now()) return known
        verified.delete(digest)
        return expired(known.expiresAt, leewayMs, now())
      }
      const header = readTokenHeader(token)
      if (header === undefined) return wrong.header
      const key = keys.find(({ kid, alg }) => kid === header.kid && alg === header.alg)
      if (key === undefined) return wrong.key
      const name = `${key.kid} ${key.fingerprint} ${digest} ${leewayMs} ${audience}`
      const running = pending.get(name)
      if (running !== undefined) return running
      const checking = checkInTurn(token, key, { audience, leewayMs })
        .then((found) => {
          if (!('wrong' in found)) keep(digest, found)
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

const defaultLeewayMs = 60_000
const maxTokenLength = 8_192
/** The last second of the year 9999. Later times are milliseconds that were taken for seconds. */
const lastSecond = 253_402_300_799

const wrong = {
  length: { wrong: 'it is longer than 8,192 characters' },
  header: { wrong: 'it is malformed, is not RS256 or ES256, has no kid, or brings a key or an extension' },
  key: { wrong: 'no key of its project has its kid and algorithm' },
  signature: { wrong: 'its signature is not by the key of its kid' },
  claims: { wrong: 'its claims are no JSON object, or one of them stands twice' },
  audience: { wrong: 'its aud is not the audience of the project' },
  times: { wrong: 'its exp is missing, or its exp or nbf is no number' },
  milliseconds: { wrong: 'its exp or nbf is after the year 9999: they count seconds, not milliseconds' },
  rules: { wrong: 'a list among its claims has another form than rules have' },
} as const satisfies Record<string, WrongToken>

/** `expiresAt` counts the leeway. */
function expired(expiresAt: number, leewayMs: number, now: number): WrongToken {
  return { wrong: `it expired ${seconds(now - expiresAt + leewayMs)} ago (exp); the leeway is ${seconds(leewayMs)}` }
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`

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

/** Checks the claims of RFC 7519 §4.1 and reads our own. */
function readClaims(
  payload: Uint8Array,
  { kid, fingerprint }: JwtKey,
  checks: ClaimChecks,
): VerifiedToken | WrongToken {
  const claims = parseClaims(payload)
  if (claims === undefined) return wrong.claims
  const { audience, leewayMs, now } = checks
  const { aud, exp, nbf = 0 } = claims
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) return wrong.audience
  if (typeof exp !== 'number' || typeof nbf !== 'number') return wrong.times
  if (Math.max(exp, nbf) > lastSecond) return wrong.milliseconds
  const expiresAt = exp * 1_000 + leewayMs
  if (expiresAt <= now) return expired(expiresAt, leewayMs, now)
  const early = nbf * 1_000 - now
  if (early > leewayMs)
    return { wrong: `it is not valid for another ${seconds(early)} (nbf); the leeway is ${seconds(leewayMs)}` }
  try {
    return { kid, fingerprint, audience, leewayMs, expiresAt, rules: parseClaimRules(claims) }
  } catch {
    return wrong.rules
  }
}

function parseClaims(payload: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(payload)
    const claims: unknown = JSON.parse(text)
    const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims)
    return isObject && !hasRepeatedMember(text) ? (claims as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
