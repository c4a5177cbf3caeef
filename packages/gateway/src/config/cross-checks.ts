import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import {
  consensusIssues,
  elementsOf,
  isObject,
  isSocketUrl,
  type Members,
  type Placed,
  repetitions,
  unknownNetwork,
  upstreamName,
} from '@wayleave/network/config'
import { adminIssues } from './admin-issues.ts'
import { listenerIssues } from './listener-issues.ts'
import { projectIssues } from './project-issues.ts'
import { writeIssues } from './write-issues.ts'

/** Issues between members: names that must exist, or must differ. Takes values of any shape. */
export function crossIssues(config: unknown): readonly Issue[] {
  return isObject(config)
    ? [
        ...networkIssues(config),
        ...listenerIssues(config),
        ...projectIssues(config),
        ...writeIssues(config),
        ...startIssues(config),
      ]
    : []
}

/** Issues for which a gateway does not start even where nobody checked its configuration: content would be lost, or everybody an operator. */
export function startIssues(config: Members): readonly Issue[] {
  return [...ipfsIssues(config), ...adminIssues(config)]
}

function networkIssues({ networks, defaultNetwork }: Members): readonly Issue[] {
  if (!isObject(networks)) return []
  const slugs = Object.keys(networks)
  if (slugs.length === 0) return [{ path: ['networks'], expected: 'at least one network', received: 'none' }]
  const isUnknown = typeof defaultNetwork === 'string' && !slugs.includes(defaultNetwork)
  return [
    ...(isUnknown ? [unknownNetwork(['defaultNetwork'], slugs, defaultNetwork)] : []),
    ...Object.entries(networks).flatMap(([slug, network]) => [
      ...upstreamIssues(slug, elementsOf(network, 'upstreams')),
      ...consensusIssues(slug, network),
    ]),
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
    issues.push(...tlsIssues(settings, path))
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

/** Issues of an upstream's TLS that never could be spoken. */
function tlsIssues({ url, ws, tls }: Members, path: IssuePath): readonly Issue[] {
  if (!isObject(tls)) return []
  const at = [...path, 'tls']
  const missing = tls['cert'] === undefined ? 'cert' : 'key'
  if ((tls['cert'] === undefined) !== (tls['key'] === undefined)) {
    return [{ path: at, expected: 'cert and key, or neither', received: `no ${missing}` }]
  }
  if ([url, ws].some((each) => /^(?:https|wss):/i.test(String(each)))) return []
  return [{ path: at, expected: 'an https or wss URL beside tls, or no tls', received: 'a URL without TLS' }]
}

/** Requires a place and a store for content: its pins must outlast a restart as it does, or it would be collected. */
function ipfsIssues({ ipfs, store, dataDir }: Members): readonly Issue[] {
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
