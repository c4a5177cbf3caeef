import type { Config, NetworkConfig, ProjectConfig, Source, UpstreamConfig } from '@wayleave/gateway'
import { slugOfChain } from '@wayleave/gateway'
import { readBudgets } from './budgets.ts'
import { freeName } from '../free-name.ts'
import { nameOf } from './go-values.ts'
import { openLedger, type Remark } from './ledger.ts'
import { type ErpcNetwork, readNetworks } from './networks.ts'
import { projectNames, readProject } from './projects.ts'
import { readServer } from './server.ts'
import { readUpstreams } from './upstreams.ts'

/** An eRPC configuration as one of ours. */
export interface Conversion {
  readonly config: Config
  /** Keys that were made, by project: the configuration has only their hashes. */
  readonly keys: readonly { readonly project: string; readonly key: string }[]
  readonly remarks: readonly Remark[]
}

interface Draft {
  readonly chainId: number | undefined
  readonly upstreams: UpstreamConfig[]
  network: ErpcNetwork | undefined
}

/** Converts an eRPC 0.0.63 configuration: projects, networks, upstreams, callers, limits and what the process has. */
export function convertErpc(source: Source): Conversion {
  const ledger = openLedger(source)
  const { root } = ledger
  const budgets = readBudgets(root.get('rateLimiters'))
  const { trustedProxies = [], ...server } = readServer(root)
  const sources = root.get('projects')?.items() ?? []
  const drafts = new Map<string, Draft>()
  const projects: ProjectConfig[] = []
  const keys: { project: string; key: string }[] = []
  const proxies = new Set(trustedProxies)

  /** Finds the slug of a network: the wanted one, or the usual one of its chain where another chain has that. */
  function slugFor(wanted: string, chainId: number | undefined, url: string): string {
    const isTaken = (slug: string): boolean => {
      const draft = drafts.get(slug)
      if (draft === undefined) return false
      // Without a chain, only the same node is surely the same network.
      return draft.chainId !== chainId || (chainId === undefined && draft.upstreams[0]!.url !== url)
    }
    const usual = chainId === undefined ? wanted : slugOf(chainId, undefined)
    return isTaken(wanted) ? freeName(usual, isTaken) : wanted
  }

  const names = projectNames(sources)
  for (const [i, place] of sources.entries()) {
    const name = names[i]!
    const group = sources.length > 1 ? name : undefined
    const networks = readNetworks(place)
    const named = (place.get('upstreams')?.items() ?? []).flatMap((it) => it.get('evm')?.get('chainId')?.number() ?? [])
    const chains = [...new Set([...networks.map(({ chainId }) => chainId), ...named])]
    const slugs = new Set<string>()
    const served = new Set<number>()
    for (const { chainId, settings } of readUpstreams(place, chains, budgets)) {
      // The only chain of a project is that of an upstream which names none.
      const chain = chainId ?? (chains.length === 1 ? chains[0] : undefined)
      const network = networks.find((it) => it.chainId === chain)
      const wanted = chain === undefined ? slugFrom(settings.name ?? `network-${i + 1}`) : slugOf(chain, network)
      const slug = slugFor(wanted, chain, settings.url)
      if (chain !== undefined && slug !== wanted) {
        const at = network?.place ?? place
        ;(at.get('alias') ?? at).remark(`chain ${chain} is the network ${slug}, as another chain is ${wanted}`)
      }
      const draft = drafts.get(slug) ?? { chainId: chain, upstreams: [], network }
      drafts.set(slug, draft)
      draft.network ??= network
      slugs.add(slug)
      if (chain !== undefined) served.add(chain)
      add(draft.upstreams, settings, group)
    }
    for (const { chainId } of networks) {
      if (served.has(chainId)) continue
      place.get('networks')!.remark(`chain ${chainId} has no upstream that was carried over, so it is no network here`)
    }
    const { project, madeKey, trustedProxies: more } = readProject(place, name, budgets)
    for (const proxy of more) proxies.add(proxy)
    if (madeKey !== undefined) keys.push({ project: name, key: madeKey })
    projects.push(group === undefined ? project : { ...project, networks: [...slugs], upstreams: [group] })
  }
  const plans = budgets.plans()
  const config: Config = {
    ...server,
    ...(proxies.size > 0 && { trustedProxies: [...proxies] }),
    dataDir: '.wayleave/gateway',
    networks: Object.fromEntries([...drafts].map(([slug, draft]) => [slug, networkOf(draft)])),
    projects,
    // eRPC counts calls: with a price of 1, a credit is a call.
    ...(Object.keys(plans).length > 0 && { plans, prices: { evm: { '*': 1 } } }),
  }
  return { config, keys, remarks: ledger.remarks() }
}

function networkOf({ chainId, upstreams, network }: Draft): NetworkConfig {
  return {
    kind: 'evm',
    ...(chainId !== undefined && { chainId }),
    upstreams: withPrimary(upstreams).map((it) => (Object.keys(it).length === 1 ? it.url : it)),
    ...network?.settings(upstreams.length),
  } as NetworkConfig
}

/** A network has an upstream that is no fallback. */
function withPrimary(upstreams: readonly UpstreamConfig[]): readonly UpstreamConfig[] {
  if (upstreams.some(({ tier }) => tier !== 'fallback')) return upstreams
  return upstreams.map((it) => ({ ...it, tier: 'primary' as const }))
}

/** Adds an upstream under a name of its own; one that another project has, too, is one of both. */
function add(upstreams: UpstreamConfig[], settings: UpstreamConfig, group: string | undefined): void {
  const same = upstreams.findIndex(
    (other) => group !== undefined && other.url === settings.url && isAlike(other, settings),
  )
  if (same >= 0) {
    const { groups = [], ...rest } = upstreams[same]!
    upstreams[same] = { ...rest, groups: [...new Set([...groups, group!])] }
    return
  }
  const { name, groups = [] } = settings
  const own = name && freeName(name, (it) => upstreams.some((other) => other.name === it))
  const all = group === undefined ? groups : [...new Set([...groups, group])]
  upstreams.push({ ...settings, ...(own !== undefined && { name: own }), ...(all.length > 0 && { groups: all }) })
}

/** Whether two upstreams have the same settings, but for names and groups. */
function isAlike(
  { name: _n, groups: _g, ...a }: UpstreamConfig,
  { name: _m, groups: _h, ...b }: UpstreamConfig,
): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function slugOf(chainId: number, network: ErpcNetwork | undefined): string {
  const alias = network?.alias?.toLowerCase()
  if (alias !== undefined && isSlug(alias)) return alias
  return slugOfChain(chainId) ?? `chain-${chainId}`
}

function slugFrom(name: string): string {
  const slug = (nameOf(name) ?? 'network').toLowerCase().replaceAll('_', '-')
  return isSlug(slug) ? slug : `network-${slug}`.slice(0, 63)
}

function isSlug(text: string): boolean {
  return /^(?!(?:ws|healthz|readyz|networks|v\d+)$)[a-z0-9][a-z0-9-]{0,62}$/.test(text)
}
