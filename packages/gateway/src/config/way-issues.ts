import { X509Certificate } from 'node:crypto'
import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import {
  type Environment,
  environmentProxy,
  namedUpstream,
  readPem,
  type UpstreamTlsConfig,
} from '@wayleave/network/config'
import type { Config } from './config.ts'
import { pairIssue, readPair } from './tls-files.ts'

/** Issues of ways to upstreams that do not stand in the configuration itself: files of their TLS, and proxies of the environment. */
export async function wayIssues({ networks }: Config, environment: Environment): Promise<readonly Issue[]> {
  const issues = Object.entries(networks).flatMap(([slug, network]) =>
    network.upstreams.map(namedUpstream).map(async ({ url, ws, proxy, tls }, i) => {
      const path = ['networks', slug, 'upstreams', i]
      return [
        ...(tls === undefined ? [] : await tlsIssues(tls, [...path, 'tls'])),
        ...(proxy === undefined ? [url, ...(ws === undefined ? [] : [ws])] : []).flatMap((each): readonly Issue[] => {
          const named = environmentProxy(each, environment)
          if (named === undefined || isProxyUrl(named.url)) return []
          const expected = `an http or https URL in ${named.variable} of the environment, or its host in NO_PROXY`
          return [{ path, expected, received: 'another value' }]
        }),
      ]
    }),
  )
  return (await Promise.all(issues)).flat()
}

function isProxyUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

async function tlsIssues({ cert, key, ca }: UpstreamTlsConfig, path: IssuePath): Promise<readonly Issue[]> {
  const pair = cert === undefined || key === undefined ? { issues: [] } : await readPair({ cert, key }, path)
  const issues = 'issues' in pair ? pair.issues : []
  if (ca === undefined) return issues
  const read = await readPem(ca)
  if ('fault' in read) return [...issues, pairIssue(path, 'ca', 'a PEM file that can be read', read.fault)]
  if (isCertificate(read.text)) return issues
  return [...issues, pairIssue(path, 'ca', 'the PEM certificates of authorities', 'something else')]
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) instanceof X509Certificate
  } catch {
    return false
  }
}
