import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { verifies } from '@wayleave/network/config'
import type { Config } from './config.ts'

/** Warns of members of a cache that do nothing, and of a Redis that would lose what it must keep. */
export function cacheWarnings({ cache, redis, networks }: Config): readonly Issue[] {
  if (cache === undefined || cache === false) return []
  const kept = Object.values(networks).filter((network) => network.cache !== false)
  const warnings: Issue[] = []
  const warn = (member: string, expected: string, received: string): void => {
    warnings.push({ path: ['cache', member], expected, received })
  }
  if (cache.unproven === false && !kept.some(verifies)) {
    warn('unproven', 'a network with verify, as nothing is proven on others, and all is kept', 'none')
  }
  const own = new Set(hostsOf(redis))
  if (hostsOf(cache.redis).some((host) => own.has(host))) {
    const expected = 'a Redis of its own: it may evict what it keeps, and that of redis must not'
    warn('redis', expected, 'that of redis')
  }
  return warnings
}

/** The servers of URLs. The databases of one server share its memory, and how it evicts. */
function hostsOf(urls: string | readonly string[] = []): readonly string[] {
  return [urls].flat().map((text) => {
    const { hostname, port } = new URL(text)
    return `${hostname}:${port === '' ? 6379 : port}`
  })
}
