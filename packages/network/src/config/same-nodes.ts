import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { splitCredentials } from './split-credentials.ts'
import { namedUpstream, type UpstreamConfig } from './upstream-config.ts'

/**
 * Names the node that each upstream reaches, by the first upstream that reaches it: two URLs of one address are one node, whose word counts
 * once where answers are compared. Case of the host, default ports, slashes at the end, escapes, the order of a query, and ws in
 * place of http make no other node.
 */
export function nodesOf(upstreams: readonly (string | UpstreamConfig)[]): readonly string[] {
  const firsts = new Map<string, string>()
  return upstreams.map(namedUpstream).map((upstream) => {
    const address = addressOf(upstream)
    const first = firsts.get(address) ?? upstream.name
    firsts.set(address, first)
    return first
  })
}

/** Prints where an upstream is, and as whom it is asked: the text may hold secrets. */
function addressOf({ url, headers: further }: Pick<UpstreamConfig, 'url' | 'headers'>): string {
  const { url: plain, headers } = splitCredentials(url, further)
  const { protocol, hostname, port, pathname, searchParams } = new URL(plain.replace(/^ws/, 'http'))
  const host = hostname.replace(/\.$/, '').replace(/^127\.0\.0\.1$/, 'localhost')
  const asked = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const path = decoded(pathname).replace(/\/+$/, '')
  return JSON.stringify([protocol, host, port, path, [...searchParams].toSorted(), asked.toSorted()])
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Warns of upstreams that reach a node which an earlier one reaches. */
export function sameNodeWarnings(
  slug: string,
  { upstreams }: { readonly upstreams: readonly (string | UpstreamConfig)[] },
): readonly Issue[] {
  const nodes = nodesOf(upstreams)
  return upstreams.map(namedUpstream).flatMap(({ name }, i) => {
    if (nodes[i] === name) return []
    const expected = 'a node of its own: consensus and proofs count its answers once'
    const hint = 'give a node once, with ws beside url where it has both'
    return [{ path: ['networks', slug, 'upstreams', i], expected, received: `that of ${nodes[i]}`, hint }]
  })
}
