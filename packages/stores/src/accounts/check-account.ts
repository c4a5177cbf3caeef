import { StoresError } from '../error.ts'
import type { StoredJwtKey, StoredKey, StoredPlan, StoredProject, StoredRules } from './account.ts'
import type { Author } from './account-store.ts'

/** Records in one answer. */
export const mostInPage = 1_000

const ruleTypes = ['methods', 'addresses', 'origins', 'userAgents', 'sources'] as const
const mostRuleEntries = 30
const mostNetworks = 200
const mostDirectives = 30
const mostEntryLength = 512
const mostTextLength = 256
const mostHintLength = 8
const mostPemLength = 8_192
const mostJsonLength = 16_384
const mostJsonDepth = 8
const mostJwtKeys = 3

/** @throws StoresError `invalid`, as each check of this file. Messages quote no value: it may be a secret in the wrong place. */
export function checkAuthor({ actor, at }: Author): void {
  checkText(actor, 'by.actor')
  checkTime(at, 'by.at')
}

export function checkPlan({ id, name, limits }: StoredPlan): void {
  checkId(id, 'the id of a plan')
  checkText(name, `the name of plan "${id}"`)
  checkJson(limits, `limits of plan "${id}"`)
}

/** @throws StoresError `conflict`, too, for a fourth JWT key. */
export function checkProject(project: StoredProject): void {
  checkId(project.id, 'the id of a project')
  const of = `of project "${project.id}"`
  checkText(project.name, `the name ${of}`)
  checkFlags(project, ['disabled', 'requireSecret', 'requireJwt', 'secretBypassesRules'], of)
  if (project.networks !== undefined) checkList(project.networks, `networks ${of}`, mostNetworks)
  if (project.jwtAudience !== undefined) checkText(project.jwtAudience, `jwtAudience ${of}`)
  checkRules(project.rules, of)
  if (project.limits !== undefined) checkJson(project.limits, `limits ${of}`)
  checkDirectives(project.directives, of)
  for (const key of project.jwtKeys) checkJwtKey(key, of)
  if (project.jwtKeys.length > mostJwtKeys) {
    throw new StoresError('conflict', `there are ${mostJwtKeys} JWT keys ${of}: remove one first`)
  }
}

export function checkKey(key: StoredKey): void {
  checkId(key.id, 'the id of a key')
  const of = `of key "${key.id}"`
  checkId(key.projectId, `projectId ${of}`)
  checkDigest(key.digest, of)
  checkText(key.hint, `the hint ${of}`, 0, mostHintLength)
  checkText(key.label, `the label ${of}`, 0)
  checkFlags(key, ['disabled'], of)
  if (key.expiresAt !== undefined) checkTime(key.expiresAt, `expiresAt ${of}`)
  if (key.limits !== undefined) checkJson(key.limits, `limits ${of}`)
  for (const secret of key.secrets) {
    checkId(secret.id, `the id of a secret ${of}`)
    checkDigest(secret.digest, `of a secret ${of}`)
    checkText(secret.hint, `the hint of a secret ${of}`, 0, mostHintLength)
    checkText(secret.label, `the label of a secret ${of}`, 0)
    if (secret.expiresAt !== undefined) checkTime(secret.expiresAt, `expiresAt of a secret ${of}`)
  }
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

function checkJwtKey({ kid, pem, label }: StoredJwtKey, of: string): void {
  checkId(kid, `kid of a JWT key ${of}`)
  // A private key here would be copied into the feed and the audit log.
  if (
    typeof pem !== 'string' ||
    pem.length > mostPemLength ||
    !/^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/.test(pem)
  ) {
    throw invalid(`pem of JWT key "${kid}" ${of}: expected one public key, -----BEGIN PUBLIC KEY-----`)
  }
  checkText(label, `the label of JWT key "${kid}" ${of}`, 0)
}

function checkRules(rules: StoredRules, of: string): void {
  if (!isPlain(rules)) throw invalid(`rules ${of}: expected an object of lists`)
  for (const [type, entries] of Object.entries(rules)) {
    if (!(ruleTypes as readonly string[]).includes(type)) {
      throw invalid(`rules ${of}: expected ${ruleTypes.join(', ')}, and nothing else`)
    }
    if (entries !== undefined) checkList(entries, `rules.${type} ${of}`, mostRuleEntries)
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

function checkDirectives(directives: StoredProject['directives'], of: string): void {
  if (!isPlain(directives) || Object.keys(directives).length > mostDirectives) {
    throw invalid(`directives ${of}: expected an object of at most ${mostDirectives} texts`)
  }
  for (const [name, value] of Object.entries(directives)) {
    checkId(name, `the name of a directive ${of}`)
    checkText(value, `directive "${name}" ${of}`, 0)
  }
}

function checkText(value: unknown, what: string, least = 1, most = mostTextLength): void {
  // oxlint-disable-next-line no-control-regex -- They are what is looked for.
  const isText = typeof value === 'string' && !/[\u0000-\u001f\u007f]/.test(value) && !/\p{Surrogate}/u.test(value)
  if (isText && value.length >= least && value.length <= most) return
  throw invalid(`${what}: expected ${least} to ${most} characters without control characters`)
}

function checkDigest(value: unknown, of: string): void {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return
  throw invalid(`the digest ${of}: expected a SHA-256 in lower-case hex`)
}

function checkFlags<T>(record: T, names: readonly (keyof T & string)[], of: string): void {
  for (const name of names)
    if (typeof record[name] !== 'boolean') throw invalid(`${name} ${of}: expected true or false`)
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
