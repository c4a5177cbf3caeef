import { startProxy } from '../../test/support/proxy-process.ts'
import type { Product } from './gateway.ts'
import { readText, sumOf } from './metrics.ts'

interface Status {
  readonly networks: { readonly main: { readonly upstreams: readonly { name: string; out?: string }[] } }
}

const key = '900d900d900d900d900d900d900d900d'

/** The proxy of this repository, from source, with defaults. */
export const wayleave: Product = {
  name: 'Wayleave',
  verifies: true,
  async start({ chainId, upstreams, verify = 'off' }) {
    const proxy = await startProxy({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
      networks: { main: { kind: 'evm', chainId, verify, upstreams } },
      projects: [{ name: 'bars', keys: [{ key }], showUpstream: true }],
    })
    const metrics = (): Promise<string> => readText(`${proxy.admin}/metrics`)
    return {
      pid: proxy.pid,
      url: `${proxy.rpc}/v3/${key}`,
      healthUrl: `${proxy.admin}/readyz`,
      upstreamHeader: 'X-Wayleave-Upstream',
      async sent(endpoint) {
        const text = await metrics()
        const of = (purpose: string): number => sumOf(text, 'wayleave_upstream_calls_total', { endpoint, purpose })
        return of('caller') + of('hedge')
      },
      openBreakers: async () => sumOf(await metrics(), 'wayleave_upstream_breaker'),
      async out() {
        const status = JSON.parse(await readText(`${proxy.admin}/status`)) as Status
        return status.networks.main.upstreams.filter(({ out }) => out !== undefined).map(({ name }) => name)
      },
      [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
    }
  },
}
