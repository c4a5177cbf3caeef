import { StoresError } from '../error.ts'
import type { Json, JsonObject, StoredJwtKey, StoredKey, StoredPlan, StoredProject, StoredRules } from './account.ts'
import type { Author } from './account-store.ts'

/** Records in one answer. */
export const mostInPage = 1_000

const ruleTypes = ['methods', 'addresses', 'origins', 'userAgents', 'networks', 'sources'] as const
const mostRuleEntries = 30
const mostEntryLength = 512
const mostTextLength = 256
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
  checkFlags(project, ['disabled', 'requireSecret', 'requireJwt', 'secretOverridesRules'], of)
  checkRules(project.rules, of)
  if (project.limits !== undefined) checkJson(project.limits, `limits ${of}`)
  checkJson(project.settings, `settings ${of}`)
  for (const key of project.jwtKeys) checkJwtKey(key, of)
  if (project.jwtKeys.length > mostJwtKeys) {
    throw new StoresError('conflict', `there are ${mostJwtKeys} JWT keys ${of}: remove one first`)
  }
}

export function checkKey(key: StoredKey): void {
  checkId(key.id, 'the id of a key')
  const of = `of key "${key.id}"`
  checkId(key.project, `project ${of}`)
  checkDigest(key.digest, of)
  checkHint(key.hint, of)
  checkText(key.label, `the label ${of}`, 0)
  checkFlags(key, ['disabled'], of)
  if (key.expiresAt !== undefined) checkTime(key.expiresAt, `expiresAt ${of}`)
  if (key.limits !== undefined) checkJson(key.limits, `limits ${of}`)
  for (const secret of key.secrets) {
    checkId(secret.id, `the id of a secret ${of}`)
    checkDigest(secret.digest, `of a secret ${of}`)
    checkHint(secret.hint, `of a secret ${of}`)
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

export function checkLimit(value: number, most: number): void {
  if (Number.isSafeInteger(value) && value > 0 && value <= most) return
  throw invalid(`limit: expected a whole number from 1 to ${most}`)
}

function checkJwtKey({ kid, algorithm, pem, label }: StoredJwtKey, of: string): void {
  checkId(kid, `kid of a JWT key ${of}`)
  if (algorithm !== 'RS256' && algorithm !== 'ES256') {
    throw invalid(`algorithm of JWT key "${kid}" ${of}: expected RS256 or ES256`)
  }
  // A private key here would be copied into the feed and the audit log.
  if (
    typeof pem !== 'string' ||
    pem.length > mostPemLength ||
    !/^-----BEGIN PUBLIC KEY-----\s[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/.test(pem)
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
    if (entries === undefined) continue
    if (!Array.isArray(entries) || entries.length > mostRuleEntries) {
      throw invalid(`rules.${type} ${of}: expected a list of at most ${mostRuleEntries} entries`)
    }
    entries.forEach((entry, i) => {
      if (typeof entry !== 'string' || entry === '' || entry.length > mostEntryLength) {
        throw invalid(`rules.${type}[${i}] ${of}: expected a text of 1 to ${mostEntryLength} characters`)
      }
    })
  }
}

function checkText(value: unknown, what: string, least = 1): void {
  // oxlint-disable-next-line no-control-regex -- They are what is looked for.
  const isText = typeof value === 'string' && !/[\u0000-\u001f\u007f]/.test(value) && !/\p{Surrogate}/u.test(value)
  if (isText && value.length >= least && value.length <= mostTextLength) return
  throw invalid(`${what}: expected ${least} to ${mostTextLength} characters without control characters`)
}

function checkDigest(value: unknown, of: string): void {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return
  throw invalid(`the digest ${of}: expected a SHA-256 in lower-case hex`)
}

function checkHint(value: unknown, of: string): void {
  if (typeof value === 'string' && /^[\w-]{0,8}$/.test(value)) return
  throw invalid(`the hint ${of}: expected at most its last 8 characters`)
}

function checkFlags<T>(record: T, names: readonly (keyof T & string)[], of: string): void {
  for (const name of names)
    if (typeof record[name] !== 'boolean') throw invalid(`${name} ${of}: expected true or false`)
}

function checkJson(value: JsonObject, what: string): void {
  if (!isPlain(value) || !isJson(value, mostJsonDepth) || JSON.stringify(value).length > mostJsonLength) {
    throw invalid(
      `${what}: expected a plain object of JSON, at most ${mostJsonDepth} levels deep and ${mostJsonLength} characters long`,
    )
  }
}

function isJson(value: Json | undefined, depth: number): boolean {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value) && !value.includes('\u0000')
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((member: Json) => isJson(member, depth - 1))
  return (
    isPlain(value) && Object.entries(value).every(([name, member]) => name !== '__proto__' && isJson(member, depth - 1))
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
