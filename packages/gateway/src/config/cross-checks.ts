import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import { isObject } from './schema-parts.ts'
import { isSocketUrl, upstreamName } from './upstream-config.ts'

type Members = Readonly<Record<string, unknown>>

/** Issues between members: names that must exist, or must differ. Takes values of any shape. */
export function crossIssues(config: unknown): readonly Issue[] {
  return isObject(config) ? [...networkIssues(config), ...projectIssues(config), ...ipfsIssues(config)] : []
}

function networkIssues({ networks, defaultNetwork }: Members): readonly Issue[] {
  if (!isObject(networks)) return []
  const slugs = Object.keys(networks)
  if (slugs.length === 0) return [{ path: ['networks'], expected: 'at least one network', received: 'none' }]
  const isUnknown = typeof defaultNetwork === 'string' && !slugs.includes(defaultNetwork)
  return [
    ...(isUnknown ? [unknownNetwork(['defaultNetwork'], slugs, defaultNetwork)] : []),
    ...Object.entries(networks).flatMap(([slug, network]) => upstreamIssues(slug, elementsOf(network, 'upstreams'))),
  ]
}

function upstreamIssues(slug: string, upstreams: readonly unknown[]): readonly Issue[] {
  const names: Placed[] = []
  const issues: Issue[] = []
  let fallbacks = 0
  for (const [i, upstream] of upstreams.entries()) {
    const settings = isObject(upstream) ? upstream : {}
    const path = ['networks', slug, 'upstreams', i]
    names.push({ text: settings['name'] ?? upstreamName(i), path: [...path, 'name'] })
    if (settings['tier'] === 'fallback') fallbacks++
    if (settings['ws'] === undefined || !isSocketUrl(String(settings['url']))) continue
    const expected = 'an http or https URL beside ws, or no ws'
    issues.push({ path: [...path, 'url'], expected, received: 'a ws or wss URL' })
  }
  if (fallbacks > 0 && fallbacks === upstreams.length) {
    const expected = 'at least one without tier: fallback, as fallbacks are asked when the others cannot take a call'
    issues.push({ path: ['networks', slug, 'upstreams'], expected, received: 'fallbacks only' })
  }
  return [...issues, ...repetitions(names, 'a name of its own')]
}

function projectIssues({ networks, projects }: Members): readonly Issue[] {
  if (!Array.isArray(projects)) return []
  const slugs = isObject(networks) ? Object.keys(networks) : undefined
  const groups = groupsOf(networks)
  const issues: Issue[] = []
  const names: Placed[] = []
  const ids: Placed[] = []
  const keys: Placed[] = []
  for (const [i, project] of projects.entries()) {
    if (!isObject(project)) continue
    const { name, id = name } = project
    // If two projects have one name, the name alone is at fault.
    if (id !== name || names.every(({ text }) => text !== name)) ids.push({ text: id, path: ['projects', i, 'id'] })
    names.push({ text: name, path: ['projects', i, 'name'] })
    for (const [j, network] of elementsOf(project, 'networks').entries()) {
      if (slugs === undefined || typeof network !== 'string' || slugs.includes(network)) continue
      issues.push(unknownNetwork(['projects', i, 'networks', j], slugs, network))
    }
    for (const [j, group] of elementsOf(project, 'upstreams').entries()) {
      if (typeof group !== 'string' || groups.includes(group)) continue
      const path = ['projects', i, 'upstreams', j]
      issues.push({ path, expected: oneGroupOf(groups), received: JSON.stringify(group) })
    }
    for (const [j, entry] of elementsOf(project, 'keys').entries()) {
      if (!isObject(entry)) continue
      keys.push({ text: entry['key'], path: ['projects', i, 'keys', j, 'key'] })
      if (project['requireSecret'] !== true || entry['secret'] !== undefined) continue
      const path = ['projects', i, 'keys', j, 'secret']
      issues.push({ path, expected: 'a secret, as the project requires one', received: 'nothing' })
    }
  }
  return [
    ...issues,
    ...repetitions(names, 'a name of its own'),
    ...repetitions(ids, 'an id of its own (default: the name)'),
    ...repetitions(keys, 'a key that stands once'),
  ]
}

/** Requires a place and a store for content: its pins must outlast a restart as it does, or it would be collected. */
export function ipfsIssues({ ipfs, store, dataDir }: Members): readonly Issue[] {
  if (!isObject(ipfs)) return []
  const issues: Issue[] = []
  if (ipfs['backend'] === 'local' && ipfs['dir'] === undefined && dataDir === undefined) {
    issues.push({ path: ['ipfs', 'dir'], expected: 'a folder, as there is no dataDir', received: 'nothing' })
  }
  if (store === 'memory' || (store === undefined && dataDir === undefined)) {
    issues.push({
      path: ['store'],
      expected: 'a database beside ipfs, for its pins',
      received: 'nothing that is kept',
    })
  }
  return issues
}

interface Placed {
  readonly text: unknown
  readonly path: IssuePath
}

/** Issues of texts that an earlier entry has too. */
function repetitions(entries: readonly Placed[], expected: string): readonly Issue[] {
  const seen = new Set<unknown>()
  return entries.flatMap(({ text, path }) => {
    if (typeof text !== 'string') return []
    if (seen.has(text)) return [{ path, expected, received: 'a repetition of an earlier one' }]
    seen.add(text)
    return []
  })
}

function unknownNetwork(path: IssuePath, slugs: readonly string[], name: string): Issue {
  return { path, expected: `one of ${slugs.join(', ')}`, received: JSON.stringify(name) }
}

/** All groups that upstreams are in. */
function groupsOf(networks: unknown): readonly string[] {
  const upstreams = Object.values(isObject(networks) ? networks : {}).flatMap((it) => elementsOf(it, 'upstreams'))
  const names = upstreams.flatMap((upstream) => elementsOf(upstream, 'groups'))
  return [...new Set(names.filter((name) => typeof name === 'string'))]
}

function oneGroupOf(groups: readonly string[]): string {
  if (groups.length === 0) return 'a group that upstreams are in: give some upstreams `groups`'
  return `one of ${groups.join(', ')}, the groups that upstreams are in`
}

function elementsOf(value: unknown, member: string): readonly unknown[] {
  const elements = isObject(value) ? value[member] : undefined
  return Array.isArray(elements) ? elements : []
}
