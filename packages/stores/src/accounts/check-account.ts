import {
  type AuditEntry,
  type Author,
  type Field,
  type Fields,
  type FieldValues,
  jwtKeyFields,
  maxDirectives,
  maxHintLength,
  maxJwtKeys,
  maxLeewayMs,
  maxNetworks,
  maxRuleEntries,
  maxTextLength,
  type RuleEntries,
  secretFields,
  type StoredJwtKey,
  type StoredSecret,
} from '@wayleave/auth'
import { StoresError } from '../error.ts'

/** Records in one answer. */
export const mostInPage = 1_000

const ruleTypes = ['methods', 'addresses', 'origins', 'userAgents', 'sources'] as const
const mostEntryLength = 512
const mostPemLength = 8_192
const mostJsonLength = 16_384
const mostJsonDepth = 8

/** @throws StoresError `invalid`, as each check of this file. Messages quote no value: it may be a secret in the wrong place. */
export function checkAuthor({ actor, at }: Author): void {
  checkText(actor, 'by.actor')
  checkTime(at, 'by.at')
}

/** Checks a record of the fields. @throws StoresError `conflict`, too, for a fourth JWT key. */
export function checkRecord(kind: AuditEntry['kind'], fields: Fields, record: { readonly id: string }): void {
  checkId(record.id, `the id of a ${kind}`)
  checkFields(fields, record, `of ${kind} "${record.id}"`)
}

function checkFields(fields: Fields, record: object, of: string): void {
  for (const [name, { kind, optional }] of Object.entries(fields)) {
    const value = (record as Readonly<Record<string, unknown>>)[name]
    if (value !== undefined || optional !== true) checks[kind](value as never, name, of)
  }
}

/** Checks values by the kind of their field, for messages by its name and whose it is. */
const checks: { readonly [Kind in Field['kind']]: (value: FieldValues[Kind], name: string, of: string) => void } = {
  id: (value, name, of) => checkId(value, name === 'id' ? `the id ${of}` : `${name} ${of}`),
  // The transaction looks for it.
  plan: () => {},
  digest: (value, _, of) => checkDigest(value, of),
  hint: (value, _, of) => checkText(value, `the hint ${of}`, 0, maxHintLength),
  name: (value, _, of) => checkText(value, `the name ${of}`),
  label: (value, name, of) => checkText(value, `the ${name} ${of}`, 0),
  audience: (value, name, of) => checkText(value, `${name} ${of}`),
  leeway: (value, name, of) => {
    if (Number.isSafeInteger(value) && value >= 0 && value <= maxLeewayMs) return
    throw invalid(`${name} ${of}: expected a whole number of ms from 0 to ${maxLeewayMs}`)
  },
  time: (value, name, of) => checkTime(value, `${name} ${of}`),
  flag: (value, name, of) => {
    if (typeof value !== 'boolean') throw invalid(`${name} ${of}: expected true or false`)
  },
  networks: (value, name, of) => checkList(value, `${name} ${of}`, maxNetworks),
  rules: (value, _, of) => checkRules(value, of),
  limits: (value, name, of) => checkJson(value, `${name} ${of}`),
  directives: (value, _, of) => checkDirectives(value, of),
  pem: (value, name, of) => checkPem(value, `${name} ${of}`),
  jwtKeys(value, _, of) {
    for (const key of value as readonly StoredJwtKey[]) {
      checkId(key.kid, `kid of a JWT key ${of}`)
      checkFields(jwtKeyFields, key, `of JWT key "${key.kid}" ${of}`)
    }
    if (value.length > maxJwtKeys) {
      throw new StoresError('conflict', `there are ${maxJwtKeys} JWT keys ${of}: remove one first`)
    }
  },
  secrets(value, _, of) {
    for (const secret of value as readonly StoredSecret[]) checkFields(secretFields, secret, `of a secret ${of}`)
  },
}

/** The ids that a caller may choose: they stand in URLs, logs and metrics. */
export function checkId(value: unknown, what: string): void {
  if (typeof value === 'string' && /^[\w.:-]{1,128}$/.test(value)) return
  throw invalid(`${what}: expected 1 to 128 letters, digits, "_", "-", "." or ":"`)
}

export function checkTime(value: unknown, what: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return
  throw invalid(`${what}: expected a Unix time in whole ms`)
}

export function checkCount(value: unknown, what: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return
  throw invalid(`${what}: expected a whole number, 0 or more`)
}

export function checkLimit(value: number, most: number): void {
  if (Number.isSafeInteger(value) && value > 0 && value <= most) return
  throw invalid(`limit: expected a whole number from 1 to ${most}`)
}

function checkPem(pem: unknown, what: string): void {
  const isOne = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/
  // A private key here would be copied into the feed and the audit log.
  if (typeof pem === 'string' && pem.length <= mostPemLength && isOne.test(pem)) return
  throw invalid(`${what}: expected one public key, -----BEGIN PUBLIC KEY-----`)
}

function checkRules(rules: RuleEntries, of: string): void {
  if (!isPlain(rules)) throw invalid(`rules ${of}: expected an object of lists`)
  for (const [type, entries] of Object.entries(rules)) {
    if (!(ruleTypes as readonly string[]).includes(type)) {
      throw invalid(`rules ${of}: expected ${ruleTypes.join(', ')}, and nothing else`)
    }
    if (entries !== undefined) checkList(entries, `rules.${type} ${of}`, maxRuleEntries)
  }
}

function checkList(entries: unknown, what: string, most: number): void {
  if (!Array.isArray(entries) || entries.length > most) {
    throw invalid(`${what}: expected a list of at most ${most} entries`)
  }
  entries.forEach((entry: unknown, i) => {
    if (typeof entry === 'string' && isJson(entry, 0) && entry !== '' && entry.length <= mostEntryLength) return
    throw invalid(`${what}, entry ${i}: expected a text of 1 to ${mostEntryLength} characters`)
  })
}

function checkDirectives(directives: FieldValues['directives'], of: string): void {
  if (!isPlain(directives) || Object.keys(directives).length > maxDirectives) {
    throw invalid(`directives ${of}: expected an object of at most ${maxDirectives} texts`)
  }
  for (const [name, value] of Object.entries(directives)) {
    checkId(name, `the name of a directive ${of}`)
    checkText(value, `directive "${name}" ${of}`, 0)
  }
}

function checkText(value: unknown, what: string, least = 1, most = maxTextLength): void {
  // oxlint-disable-next-line no-control-regex -- They are what is looked for.
  const isText = typeof value === 'string' && !/[\u0000-\u001f\u007f]/.test(value) && !/\p{Surrogate}/u.test(value)
  if (isText && value.length >= least && value.length <= most) return
  throw invalid(`${what}: expected ${least} to ${most} characters without control characters`)
}

function checkDigest(value: unknown, of: string): void {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return
  throw invalid(`the digest ${of}: expected a SHA-256 in lower-case hex`)
}

function checkJson(value: object, what: string): void {
  if (!isPlain(value) || !isJson(value, mostJsonDepth) || JSON.stringify(value).length > mostJsonLength) {
    throw invalid(
      `${what}: expected a plain object of JSON, at most ${mostJsonDepth} levels deep and ${mostJsonLength} characters long`,
    )
  }
}

/** Whether `JSON.stringify` writes what `JSON.parse` reads back, but for members that are undefined. */
function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value) && !value.includes('\u0000')
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((member) => isJson(member, depth - 1))
  return (
    isPlain(value) &&
    Object.entries(value).every(
      ([name, member]) => name !== '__proto__' && (member === undefined || isJson(member, depth - 1)),
    )
  )
}

function isPlain(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)
  )
}

function invalid(message: string): StoresError {
  return new StoresError('invalid', message)
}
