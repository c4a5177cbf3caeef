import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { createMethodFilter } from '@wayleave/upstream'
import { chainKinds } from '@wayleave/network'
import { type NamedUpstream, namedUpstream, type NetworkConfig, networkDefaults } from '@wayleave/network/config'
import type { Config } from './config.ts'

/** Warns of credentials that would travel in the clear beside an encrypted URL. */
export function socketWarnings(slug: string, upstreams: readonly NamedUpstream[]): readonly Issue[] {
  return upstreams.flatMap(({ url, ws }, i) => {
    if (ws === undefined || !/^https:/i.test(url) || /^wss:/i.test(ws)) return []
    const path = ['networks', slug, 'upstreams', i, 'ws']
    return [{ path, expected: 'a wss URL, as url is an https one', received: 'a ws URL' }]
  })
}

/** Warns of probes that never happen: nobody else could have what an only upstream lacks, and only EVM nodes prune their history. */
export function probeWarnings(
  slug: string,
  { kind, followHeads = networkDefaults.followHeads }: Pick<NetworkConfig, 'kind' | 'followHeads'>,
  upstreams: readonly NamedUpstream[],
): readonly Issue[] {
  if (chainKinds[kind].prunes && followHeads && upstreams.length > 1) return []
  return upstreams.flatMap(({ probe }, i) => {
    if (probe !== true) return []
    const path = ['networks', slug, 'upstreams', i, 'probe']
    return [{ path, expected: 'several upstreams of an evm or rollup network that follows heads', received: 'true' }]
  })
}

/** Warns of methods that no upstream may be asked for: those that are usual, and those that all upstreams deny. */
export function methodWarnings(
  slug: string,
  kind: NetworkConfig['kind'],
  upstreams: readonly NamedUpstream[],
): readonly Issue[] {
  const filters = upstreams.map(({ methods = {} }) => createMethodFilter(methods))
  if (filters.includes(undefined)) return []
  const allowed = upstreams.flatMap(({ methods }) => methods?.allow ?? [])
  const isAllowed = (name: string): boolean => filters.some((filter) => filter!(name))

  /** Whether an upstream may be asked for some of the methods that a pattern names. */
  function isServed(pattern: string): boolean {
    const prefix = pattern.replace(/\*$/, '')
    if (prefix === pattern) return isAllowed(pattern)
    const within = allowed.filter((each) => each.toLowerCase().startsWith(prefix.toLowerCase()))
    return isAllowed(prefix) || within.some((each) => isAllowed(each.replace(/\*$/, '')))
  }

  const patterns = new Set([
    ...chainKinds[kind].usualMethods,
    ...upstreams.flatMap(({ methods }) => methods?.deny ?? []),
  ])
  const nowhere = [...patterns].filter((pattern) => !isServed(pattern))
  if (nowhere.length === 0) return []
  const expected = `one whose methods allow ${nowhere.join(', ')}; to serve a method to nobody, put it into methods.deny`
  return [{ path: ['networks', slug, 'upstreams'], expected, received: 'none' }]
}

/** Warns of networks that a project may use, and where none of its groups has an upstream. */
export function groupWarnings({ networks, projects = [] }: Config): readonly Issue[] {
  /** Whether an upstream of a network is in one of the groups; a private one is only for private transactions. */
  function has(slug: string, groups: readonly string[], takesPrivate: boolean): boolean {
    const upstreams = (networks[slug]?.upstreams ?? []).map(namedUpstream)
    const usable = upstreams.filter((upstream) => takesPrivate || upstream.private !== true)
    return usable.some((upstream) => upstream.groups?.some((group) => groups.includes(group)) === true)
  }
  return projects.flatMap(({ upstreams: groups, networks: slugs = Object.keys(networks), transactions }, i) => {
    if (groups === undefined) return []
    const bare = slugs.filter((slug) => !has(slug, groups, transactions === 'private'))
    if (bare.length === 0) return []
    const expected = `groups with upstreams of ${bare.join(', ')}, or a list of networks without`
    return [{ path: ['projects', i, 'upstreams'], expected, received: groups.join(', ') }]
  })
}
