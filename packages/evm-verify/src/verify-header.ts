import type { Hash, Header, Quantity } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from './error.ts'
import { headerHash } from './header-hash.ts'
import { headerMembers } from './header-members.ts'
import { isRecord, isSameHex, type Refusal, refuse, refuseOther, type Standings } from './refusal.ts'
import type { FieldStanding, Verdict } from './verdict.ts'

/** What a header was asked for by. The case of digits carries no meaning. */
export interface ExpectedHeader {
  readonly hash?: Hash
  readonly number?: Quantity
}

/**
 * Compares a header, as a node answered it, with its own hash and with what was asked for. `proven`: it hashes to the expected
 * hash; `consistent`: none was expected. `size` is unverifiable: nodes do not agree on what it is of a header alone.
 * Any value gets a verdict; nothing is thrown.
 */
export function verifyHeader(header: unknown, expected: ExpectedHeader = {}): Verdict {
  if (!isRecord(header)) return refuse('', `expected a block header, got ${describeValue(header)}`)
  try {
    // Each member's form is checked where it is read.
    const refusal = refuseHeader(header as unknown as Header, expected)
    if (refusal !== undefined) return refusal
  } catch (thrown) {
    if (thrown instanceof VerifyError) return refuse(thrown.field, thrown.message)
    throw thrown
  }
  const level = expected.hash === undefined ? 'consistent' : 'proven'
  const fields = nothingKnown(header)
  noteHeader(header, fields, level)
  return { ok: true, level, fields }
}

/** Refuses a header that hashes to another hash than it says or was asked for, or has another number. @throws VerifyError */
export function refuseHeader(header: Header, expected: ExpectedHeader): Refusal | undefined {
  const hash = headerHash(header)
  if (expected.hash !== undefined && !isSameHex(expected.hash, hash)) {
    return refuse('hash', `the answer hashes to ${hash}, not to ${describeValue(expected.hash)}`)
  }
  if (!isSameHex(header.hash, hash)) {
    return refuse('hash', `the answer hashes to ${hash}, and says ${describeValue(header.hash)}`)
  }
  return expected.number === undefined ? undefined : refuseOther('number', header.number, expected.number)
}

/** Every member as one that nothing is known of. */
export function nothingKnown(answer: object): Standings {
  return Object.fromEntries(Object.keys(answer).map((name) => [name, 'unverifiable']))
}

/** Notes the members that the hash covers, and the hash. */
export function noteHeader(header: object, fields: Standings, level: FieldStanding): void {
  for (const { name } of headerMembers) if (Object.hasOwn(header, name)) fields[name] = level
  fields['hash'] = level
}
