import { createApiKey, isApiKey, isApiSecret, parseJwtKey } from '@wayleave/auth'
import type { ProjectConfig } from '@wayleave/gateway'
import { hashOf } from '../config/key-hash.ts'
import type { Budgets } from './budgets.ts'
import { freeName } from '../free-name.ts'
import { nameOf } from './go-values.ts'
import type { Cursor } from './ledger.ts'

/** A project, and the key that was made for it, as it had none. */
export interface ReadProject {
  readonly project: ProjectConfig
  readonly madeKey: string | undefined
  readonly trustedProxies: readonly string[]
}

type Key = ProjectConfig['keys'][number]
type Draft = { -readonly [K in keyof ProjectConfig]: ProjectConfig[K] }

/** Reads a project with its callers. `random` makes a key. */
export function readProject(
  source: Cursor,
  name: string,
  budgets: Budgets,
  random: () => string = createApiKey,
): ReadProject {
  const draft: Draft = { name, keys: [] }
  source.get('id')?.use()
  const plan = budgets.planOf(source.get('rateLimitBudget'))
  if (plan !== undefined) draft.plan = plan
  const strategies = source.get('auth')?.get('strategies')?.items() ?? []
  const keys: Key[] = []
  const trustedProxies: string[] = []
  for (const strategy of strategies) {
    const type = strategy.get('type')?.value
    if (type === 'secret') keys.push(...readSecret(strategy, budgets))
    else if (type === 'jwt') readJwt(strategy, draft)
    else if (type === 'network') trustedProxies.push(...readSources(strategy, strategies.length === 1, draft))
    else if (type === 'siwe') strategy.leave('nobody signs in with Ethereum here: use a JWT')
    else if (type === 'database') strategy.leave('the store has keys: see wayleave keys import')
    else strategy.leave('there is no such way to let callers in')
  }
  if (draft.jwt !== undefined && keys.length === 0) draft.requireJwt = true
  readCors(source.get('cors'))
  // Somebody must be able to call.
  const madeKey = keys.length === 0 ? random() : undefined
  if (madeKey !== undefined) {
    keys.push({ keyHash: hashOf(madeKey) })
    source.remark(`it had no key: every call needs one here, so one was made`)
  }
  return { project: { ...draft, keys }, madeKey, trustedProxies }
}

function readSecret(strategy: Cursor, budgets: Budgets): readonly Key[] {
  const secret = strategy.get('secret')
  const value = secret?.get('value')
  const text = value?.text()
  strategy.get('type')!.use()
  if (text === undefined) {
    strategy.leave('it has no secret.value')
    return []
  }
  const label = secret!.get('id')?.text()
  const plan = budgets.planOf(secret!.get('rateLimitBudget') ?? strategy.get('rateLimitBudget'))
  const more = {
    ...(label !== undefined && /^[^\p{Cc}]{1,128}$/u.test(label) && { label }),
    ...(plan !== undefined && { plan }),
  }
  if (/^\$\{\w+\}$/.test(text)) return [{ key: text, ...more }]
  if (isApiKey(text)) {
    value!.remark('it is a key here, in the URL or in X-Api-Key, and only its hash is in the file')
    return [{ keyHash: hashOf(text), ...more }]
  }
  value!.leave(
    isApiSecret(text)
      ? 'a key has letters, digits, - and _ alone: make another with wayleave keys create'
      : 'it can be no key: make one with wayleave keys create',
  )
  return []
}

function readJwt(strategy: Cursor, draft: Draft): void {
  const jwt = strategy.get('jwt')
  strategy.get('type')!.use()
  const keys = (jwt?.get('verificationKeys')?.members() ?? []).flatMap(([id, key]) => {
    const text = key.text() ?? ''
    const file = /^file:\/\/(.+)$/.exec(text)?.[1]
    const pem = file === undefined ? text : `\${file:${file}}`
    if (!/^[\w.:-]{1,128}$/.test(id) || !(pem.includes('${') || isPublicKey(pem))) {
      key.leave('a JWT key is an RSA or P-256 public key in PEM, under the `kid` of its tokens')
      return []
    }
    return [{ id, pem }]
  })
  if (keys.length === 0) return
  if (keys.length > 3)
    jwt!.get('verificationKeys')!.remark('a project has three JWT keys at most: the first three were taken')
  const [audience, ...others] = jwt!.get('allowedAudiences')?.items() ?? []
  const named = audience?.text()
  if (others.length > 0) jwt!.get('allowedAudiences')!.remark('one audience is taken, the first')
  if (named === undefined) jwt!.remark('tokens must name the audience "wayleave", or `jwt.audience`')
  jwt!.get('allowedAlgorithms')?.use()
  draft.jwt = { keys: keys.slice(0, 3), ...(named !== undefined && { audience: named }) }
}

function isPublicKey(pem: string): boolean {
  try {
    parseJwtKey({ pem })
    return true
  } catch {
    return false
  }
}

/** Reads the addresses that may call; resolves with the proxies that tell them. */
function readSources(strategy: Cursor, isOnly: boolean, draft: Draft): readonly string[] {
  const network = strategy.get('network')
  strategy.get('type')!.use()
  const textsOf = (name: string): readonly string[] =>
    network
      ?.get(name)
      ?.items()
      .flatMap((item) => item.text() ?? []) ?? []
  if (!isOnly) {
    strategy.leave(
      '`rules.sources` holds for all callers of a project: make a project of their own for these addresses',
    )
    return []
  }
  const sources = [...textsOf('allowedIPs'), ...textsOf('allowedCIDRs')]
  if (network?.get('allowLocalhost')?.flag() === true) sources.push('127.0.0.0/8', '::1')
  if (sources.length > 0 && sources.length <= 30) draft.rules = { sources }
  else if (sources.length > 30) {
    for (const list of ['allowedIPs', 'allowedCIDRs'])
      network!.get(list)?.leave('`rules.sources` takes 30 entries, so all addresses may call: join them to blocks')
  }
  return textsOf('trustedProxies')
}

/** The origins that eRPC allows browsers. Here pages of all origins may call. */
function readCors(cors: Cursor | undefined): void {
  const origins = cors?.get('allowedOrigins')?.items() ?? []
  if (origins.length > 0 && origins.every(({ value }) => value === '*')) cors!.use()
}

/** Names projects in their order; two that would have the same name have it with a number. */
export function projectNames(sources: readonly Cursor[]): readonly string[] {
  const names: string[] = []
  for (const [i, source] of sources.entries()) {
    const wanted = nameOf(String(source.get('id')?.value ?? '')) ?? `project-${i + 1}`
    const name = freeName(wanted, (it) => names.includes(it))
    if (name !== wanted) source.get('id')?.remark(`it is ${name} here, as another project is ${wanted}`)
    names.push(name)
  }
  return names
}
