import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import { consensusIssues } from './consensus-config.ts'
import { elementsOf, type Members, type Placed, repetitions } from './issue-parts.ts'
import { isObject } from './schema-parts.ts'
import { isSocketUrl, upstreamName } from './upstream-config.ts'

/** Issues between the members of a network at `at`. Takes values of any shape. */
export function networkIssues(network: unknown, at: IssuePath): readonly Issue[] {
  return [...upstreamIssues(elementsOf(network, 'upstreams'), [...at, 'upstreams']), ...consensusIssues(network, at)]
}

function upstreamIssues(upstreams: readonly unknown[], at: IssuePath): readonly Issue[] {
  const names: Placed[] = []
  const issues: Issue[] = []
  let fallbacks = 0
  for (const [i, upstream] of upstreams.entries()) {
    const settings = isObject(upstream) ? upstream : {}
    const path = [...at, i]
    names.push({ text: settings['name'] ?? upstreamName(i), path: [...path, 'name'] })
    if (settings['tier'] === 'fallback') fallbacks++
    issues.push(...tlsIssues(settings, path))
    if (settings['ws'] === undefined || !isSocketUrl(String(settings['url']))) continue
    const expected = 'an http or https URL beside ws, or no ws'
    issues.push({ path: [...path, 'url'], expected, received: 'a ws or wss URL' })
  }
  if (fallbacks > 0 && fallbacks === upstreams.length) {
    const expected = 'at least one without tier: fallback, as fallbacks are asked when the others cannot take a call'
    issues.push({ path: at, expected, received: 'fallbacks only' })
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
