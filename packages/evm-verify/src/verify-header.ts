import type { Hash, Header, Quantity } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from './error.ts'
import { headerHash } from './header-hash.ts'
import { headerMembers } from './header-members.ts'
import { isRecord, isSameHex, type Refusal, refuse, refuseOther, type FieldLevels } from './refusal.ts'
import type { FieldLevel, Verdict } from './verdict.ts'

/** Facts from the question that a header must agree with. The case of digits carries no meaning. */
export interface ExpectedHeader {
  readonly hash?: Hash
  readonly number?: Quantity
}

/**
 * Compares a node's header with its own hash and the question. `proven`: it hashes to the expected hash; `consistent`:
 * none was expected. `size` is unverifiable: nodes do not agree on the size of a header alone.
 * Any value gets a verdict; nothing is thrown.
 */
export function verifyHeader(header: unknown, expected: ExpectedHeader = {}): Verdict {
  if (!isRecord(header)) return refuse('', `expected a block header, got ${describeValue(header)}`)
  try {
    // The form of each member is checked when it is read.
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

/** Refuses a header whose hash is not its own `hash` or the expected one, or that has another number. @throws VerifyError */
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

/** Every member as unverifiable. */
export function nothingKnown(answer: object): FieldLevels {
  return Object.fromEntries(Object.keys(answer).map((name) => [name, 'unverifiable']))
}

/** Notes the level of the hash and of the members that it covers. */
export function noteHeader(header: object, fields: FieldLevels, level: FieldLevel): void {
  for (const { name } of headerMembers) if (Object.hasOwn(header, name)) fields[name] = level
  fields['hash'] = level
}
