import { type Digest, hintOf, parseHash } from '@wayleave/auth'
import { type AdminIssue, invalid } from './error.ts'

/** A key of elsewhere in a body: its text, or its digest with a hint. */
export interface GivenKey {
  readonly key?: string
  readonly keyHash?: string
  readonly hint?: string
}

/** The parts of a key that a store keeps. */
export interface KeyParts {
  readonly digest: string
  readonly hint: string
}

/** Finds out what is wrong with how a body gives a key; `at` is the path of the object that does. */
export function givenKeyIssues({ key, keyHash, hint }: GivenKey, at: string): readonly AdminIssue[] {
  const path = (member: string): string => (at === '' ? member : `${at}.${member}`)
  const issues: AdminIssue[] = []
  if (key !== undefined && keyHash !== undefined) {
    issues.push({ path: path('keyHash'), message: 'expected a key or a keyHash, not both' })
  }
  if (hint !== undefined && keyHash === undefined) {
    issues.push({ path: path('hint'), message: 'expected none: only a keyHash needs a hint, a key has its own' })
  }
  return issues
}

/** Makes the parts of a key that is given. @throws AdminError `invalid` where none is */
export function partsOf({ key, keyHash, hint = '' }: GivenKey, sha256: Digest): KeyParts {
  if (key !== undefined) return { digest: sha256(key), hint: hintOf(key) }
  const digest = parseHash(keyHash ?? '')
  if (digest === undefined) throw invalid([{ path: 'key', message: 'expected a key or a keyHash' }])
  return { digest, hint }
}
