import { type Digest, sameDigest } from '@wayleave/auth'
import { AdminError } from './error.ts'

/** Scopes of tokens, and the routes that they open. `all` has those of the others. */
export const adminScopes = {
  read: 'read everything: accounts, usage, networks, pins and the audit log',
  accounts: 'read and change projects, keys, secrets, JWT keys and plans',
  usage: 'read usage',
  networks: 'read the state of networks, and cordon upstreams',
  ipfs: 'read and change the content of every project on IPFS',
  all: 'everything',
} as const

/** A scope of a token. */
export type AdminScope = keyof typeof adminScopes

/** A caller, a person or a program, and what they may do. */
export interface Operator {
  /** Stands in the audit log: 1 to 64 letters, digits, `_`, `-`, `.`, `@`, `:`. */
  readonly name: string
  readonly scopes: readonly AdminScope[]
}

/** A token of an operator, by its digest. */
export interface AdminToken extends Operator {
  /** Lower-case hex SHA-256 of the token, which is random: at least 128 bits. */
  readonly tokenHash: string
  /** From this Unix time in ms on it is refused. */
  readonly expiresAt?: number | undefined
}

const mostTokens = 100
/** Longer ones are not hashed. */
const longestToken = 1_024

/** Finds the token of an `Authorization` header. @throws AdminError `unauthorized` */
export type FindToken = (authorization: string | undefined, now: number) => AdminToken

/** Makes the look-up. All digests are compared, each in constant time. @throws AdminError `invalid_options` */
export function createTokenCheck(tokens: readonly AdminToken[], sha256: Digest): FindToken {
  checkTokens(tokens)
  return (authorization, now) => {
    const given = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1]
    if (given === undefined || given.length > longestToken) {
      throw new AdminError('unauthorized', 'an admin token is required: Authorization: Bearer <token>')
    }
    const digest = sha256(given)
    let found: AdminToken | undefined
    for (const token of tokens) if (sameDigest(token.tokenHash, digest)) found = token
    if (found === undefined) throw new AdminError('unauthorized', 'this admin token is unknown')
    if (found.expiresAt !== undefined && found.expiresAt <= now) {
      throw new AdminError('unauthorized', `the admin token "${found.name}" has expired: make a new one`)
    }
    return found
  }
}

function checkTokens(tokens: readonly AdminToken[]): void {
  const refuse = (i: number, expected: string): never => {
    throw new AdminError('invalid_options', `tokens[${i}]: expected ${expected}`)
  }
  if (tokens.length > mostTokens) refuse(mostTokens, `at most ${mostTokens} tokens`)
  tokens.forEach(({ name, tokenHash, scopes, expiresAt }, i) => {
    if (!/^[\w.@:-]{1,64}$/.test(name)) refuse(i, 'a name of 1 to 64 letters, digits, "_", "-", ".", "@" or ":"')
    if (!/^[0-9a-f]{64}$/.test(tokenHash)) refuse(i, 'as tokenHash the SHA-256 of the token in lower-case hex')
    if (scopes.length === 0 || !scopes.every((scope) => Object.hasOwn(adminScopes, scope))) {
      refuse(i, `as scopes some of ${Object.keys(adminScopes).join(', ')}`)
    }
    if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) refuse(i, 'as expiresAt a Unix time in whole ms')
    const first = tokens.findIndex((other) => other.name === name || other.tokenHash === tokenHash)
    if (first < i) refuse(i, `a name and a token of its own, tokens[${first}] has the same`)
  })
}
