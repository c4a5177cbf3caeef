import type { UpstreamConfig } from '@wayleave/gateway'
import type { Budgets } from './budgets.ts'
import { nameOf, readPatterns } from './go-values.ts'
import type { Cursor } from './ledger.ts'
import { vendorNames, vendorUrl } from './vendors.ts'

export interface ChainUpstream {
  /** Undefined: eRPC asks the node. */
  readonly chainId: number | undefined
  readonly settings: UpstreamConfig
}

type Settings = { -readonly [K in keyof UpstreamConfig]: UpstreamConfig[K] }

/** Reads the upstreams and providers of a project: those of a provider for each of `chains`. */
export function readUpstreams(project: Cursor, chains: readonly number[], budgets: Budgets): readonly ChainUpstream[] {
  const defaults = project.get('upstreamDefaults')
  return [
    ...(project.get('upstreams')?.items() ?? []).flatMap((upstream) =>
      readUpstream(upstream, defaults, chains, budgets),
    ),
    ...(project.get('providers')?.items() ?? []).flatMap((provider) => readProvider(provider, chains)),
  ]
}

function readUpstream(
  upstream: Cursor,
  defaults: Cursor | undefined,
  chains: readonly number[],
  budgets: Budgets,
): readonly ChainUpstream[] {
  const member = (name: string): Cursor | undefined => upstream.get(name) ?? defaults?.get(name)
  if (upstream.get('shadow')?.get('enabled')?.value === true) {
    upstream.leave('a shadow upstream answers no calls, and there are none here')
    return []
  }
  const endpoint = upstream.get('endpoint')
  const url = endpoint?.text()
  if (url === undefined) {
    upstream.leave('it has no endpoint')
    return []
  }
  for (const name of ['type', 'vendorName']) upstream.get(name)?.use()
  const chainId = member('evm')?.get('chainId')?.number()
  const settings = settingsOf(member, budgets)
  if (/^(?:https?|wss?):\/\//.test(url) || /^\$\{\w+\}$/.test(url)) {
    if (chainId === undefined && chains.length !== 1) {
      upstream.remark('it names no chain, so it is a network of its own, whose chain wayleave serve asks it for')
    }
    return [{ chainId, settings: { url, ...settings } }]
  }
  const [, vendor, key] = /^(?:evm\+)?([a-z]+):\/\/(.*)$/.exec(url) ?? []
  const wanted = chainId === undefined ? chains : [chainId]
  return expand(endpoint!, vendor ?? '', key ?? '', wanted, settings)
}

/** Makes an upstream for each chain that a provider is known to have. */
function expand(
  at: Cursor,
  vendor: string,
  key: string,
  chains: readonly number[],
  settings: Omit<Settings, 'url'>,
): readonly ChainUpstream[] {
  if (!vendorNames.includes(vendor)) {
    at.leave(
      'name the URL of each network in its place: shorthands of providers are known for alchemy and infura alone',
    )
    return []
  }
  const found = chains.flatMap((chainId) => {
    const url = vendorUrl(vendor, chainId, key)
    return url === undefined ? [] : [{ chainId, settings: { url, ...settings } }]
  })
  if (chains.length === 0)
    at.leave('it stands for all networks of the provider: name those that you need in `networks`')
  else if (found.length < chains.length) {
    const missing = chains.filter((chainId) => found.every((it) => it.chainId !== chainId))
    at.remark(`the URL for chain ${missing.join(', ')} is not known: name it`)
  } else at.use()
  return found
}

function readProvider(provider: Cursor, chains: readonly number[]): readonly ChainUpstream[] {
  const vendor = String(provider.get('vendor')?.value ?? '')
  const listed = (name: string): readonly string[] | undefined =>
    provider
      .get(name)
      ?.items()
      .flatMap((item) => item.text() ?? [])
  const [only, ignored] = [listed('onlyNetworks'), listed('ignoreNetworks')]
  const wanted = chains.filter(
    (chainId) => (only?.includes(`evm:${chainId}`) ?? true) && ignored?.includes(`evm:${chainId}`) !== true,
  )
  if (!vendorNames.includes(vendor)) {
    provider.leave('name the URL of each network among `upstreams`: providers are known for alchemy and infura alone')
    return []
  }
  provider.get('vendor')!.use()
  const id = nameOf(provider.get('id')?.text()) ?? vendor
  const key = provider.get('settings')?.get('apiKey')
  return key === undefined ? [] : expand(key, vendor, key.text() ?? '', wanted, { name: id })
}

function settingsOf(member: (name: string) => Cursor | undefined, budgets: Budgets): Omit<Settings, 'url'> {
  const settings: Partial<Settings> = {}
  const name = nameOf(member('id')?.text())
  if (name !== undefined) settings.name = name
  const group = nameOf(member('group')?.text())
  if (group === 'fallback') settings.tier = 'fallback'
  else if (group !== undefined) settings.groups = [group]
  const headers = (member('jsonRpc')?.get('headers')?.members() ?? []).flatMap(([header, content]) => {
    const text = content.text()
    return text === undefined ? [] : [[header, text] as const]
  })
  if (headers.length > 0) settings.headers = Object.fromEntries(headers)
  const methods = methodsOf(member('allowMethods'), member('ignoreMethods'))
  if (methods !== undefined) settings.methods = methods
  const budget = budgets.boundsOf(member('rateLimitBudget'))
  if (budget !== undefined) settings.budget = budget
  return settings
}

/** In eRPC a method is asked for unless it is ignored and not allowed; without `ignoreMethods`, `allowMethods` are all. */
function methodsOf(allowed: Cursor | undefined, ignored: Cursor | undefined): UpstreamConfig['methods'] {
  const ignoresAll = ignored?.items().some(({ value }) => value === '*') ?? allowed !== undefined
  if (ignoresAll) {
    ignored?.use()
    if (allowed === undefined) {
      ignored?.remark('all methods are ignored, so remove the upstream')
      return undefined
    }
    const allow = patternsOf(allowed)
    return allow.length === 0 ? undefined : { allow }
  }
  if (ignored === undefined) return undefined
  allowed?.leave(
    'a method that is denied is not asked for, also where it is allowed: name the others in `methods.deny`',
  )
  const deny = patternsOf(ignored)
  return deny.length === 0 ? undefined : { deny }
}

function patternsOf(list: Cursor): readonly string[] {
  return list.items().flatMap((item) => {
    const names = readPatterns(String(item.value))
    if (names === undefined) item.leave('a method is named as a whole, or by a prefix and *')
    else item.use()
    return names ?? []
  })
}
