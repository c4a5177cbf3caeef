import {
  blockOverridesSchema,
  indexSchema,
  stateOverridesSchema,
  transactionCallSchema,
  wordSchema,
} from '@wayleave/evm-types'
import type { AnySchema } from '@wayleave/jsonrpc-core/schema'

/**
 * Prints a param as all its spellings print; undefined: it is not well formed, or nobody knows what it means, so that its call must not
 * share an answer.
 */
export type Canonical = (value: unknown) => string | undefined

const hexDigits = /^0x[\da-f]*$/i

/** A value in hex of a fixed number of bytes, in any case. */
function bytesOf(count: number): Canonical {
  return (value) =>
    typeof value === 'string' && value.length === 2 + 2 * count && hexDigits.test(value)
      ? value.toLowerCase()
      : undefined
}

/** Prints a quantity of at most 256 bits in hex, without zeros in front; undefined: it is none. */
export const canonicalQuantity: Canonical = (value) => {
  if (typeof value !== 'string' || value.length > 66 || !/^0x[\da-f]+$/i.test(value)) return undefined
  return `0x${value
    .slice(2)
    .toLowerCase()
    .replace(/^0+(?=.)/, '')}`
}

/** A hash of 32 bytes. */
export const canonicalHash: Canonical = bytesOf(32)

const canonicalData: Canonical = (value) =>
  typeof value === 'string' && value.length % 2 === 0 && hexDigits.test(value) ? value.toLowerCase() : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Prints any value whose only spellings are the order of its members and the case of its hex; numbers must be exact. */
export const canonicalJson: Canonical = (value) => {
  if (typeof value === 'string') return JSON.stringify(hexDigits.test(value) ? value.toLowerCase() : value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : JSON.stringify(value)
  if (Array.isArray(value)) return printAll(value, canonicalJson)
  return isObject(value) ? printMembers(value) : JSON.stringify(value)
}

function printAll(values: readonly unknown[], canonical: Canonical): string | undefined {
  const printed = values.map(canonical)
  return printed.includes(undefined) ? undefined : `[${printed.join()}]`
}

/** Prints members in the order of their names, without those that are null. */
function printMembers(value: Readonly<Record<string, unknown>>): string | undefined {
  const printed = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    if (member === null) continue
    const text = canonicalJson(member)
    const key = hexDigits.test(name) ? name.toLowerCase() : name
    // Two spellings of one name: nobody knows which of them a node reads.
    if (text === undefined || printed.has(key)) return undefined
    printed.set(key, text)
  }
  const names = [...printed.keys()].toSorted()
  return `{${names.map((name) => `${JSON.stringify(name)}:${printed.get(name)}`).join()}}`
}

const address = bytesOf(20)

/** The members of a call object in the order of their names, and no others: a node may read more than the gateway knows. */
const callMembers = [
  ...['from', 'to'].map((name) => [name, address] as const),
  ...['data', 'input'].map((name) => [name, canonicalData] as const),
  ...[
    'gas',
    'gasPrice',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'maxFeePerBlobGas',
    'value',
    'nonce',
    'chainId',
    'type',
  ].map((name) => [name, canonicalQuantity] as const),
  ...['accessList', 'blobVersionedHashes', 'authorizationList'].map((name) => [name, canonicalJson] as const),
].toSorted(([a], [b]) => (a < b ? -1 : 1))

const canonicalCall: Canonical = (value) => {
  if (!isObject(value)) return undefined
  let unknown = 0
  for (const name of Object.keys(value)) if (value[name] !== null) unknown++
  let printed = ''
  for (const [name, canonical] of callMembers) {
    const member = value[name] ?? null
    if (member === null) continue
    const text = canonical(member)
    if (text === undefined) return undefined
    printed += `${printed && ','}"${name}":${text}`
    unknown--
  }
  return unknown === 0 ? `{${printed}}` : undefined
}

/** Overrides of nothing are none. */
const overrides: Canonical = (value) => {
  if (!isObject(value)) return undefined
  return Object.keys(value).length === 0 ? '' : canonicalJson(value)
}

/** The params that have more spellings than any JSON, by their schemas in the method table. */
const forms: ReadonlyMap<AnySchema, Canonical> = new Map<AnySchema, Canonical>([
  [indexSchema, canonicalQuantity],
  [wordSchema, canonicalQuantity],
  [transactionCallSchema, canonicalCall],
  [stateOverridesSchema, overrides],
  [blockOverridesSchema, overrides],
])

/** Returns the form of a param by its schema in the method table. Every schema has one. */
export const canonicalOf = (schema: AnySchema): Canonical => forms.get(schema) ?? canonicalJson

/**
 * Whether a text is just what its value prints, but for white space between its parts: then each member stands in it once, each number is
 * exact, and every node reads the same.
 */
export function hasOneReading(text: string, value: unknown): boolean {
  if (Array.isArray(value) && value.every(hasOneSpelling)) return true
  const printed = JSON.stringify(value)
  return printed === text || printed === text.replaceAll(/[\t\n\r ]/g, '')
}

/** Whether all spellings of a value mean the same to every reader: it has no members to repeat, and no digits to lose. */
function hasOneSpelling(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null
}
