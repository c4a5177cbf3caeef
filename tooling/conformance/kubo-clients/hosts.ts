import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from '@wayleave/gateway'
import { startKubo } from '../interop/support/kubo-node.ts'

/** The kinds of host that a client is run against: a Kubo, a gateway with the local backend, and a gateway over a Kubo. */
export const hostKinds = ['kubo', 'local', 'over-kubo'] as const
export type HostKind = (typeof hostKinds)[number]

/** A host of its own, without content. */
export interface Host extends AsyncDisposable {
  readonly url: string
  readonly authorization?: string
}

/** The secret of the one project of a gateway. */
export const credentials = 'key:secret'

/** Some suites upload more than the usual bound. */
const maxRequestBytes = 1_000_000_000

/** Starts a host. `kubo`: the program. */
export async function startHost(kind: HostKind, kubo: string): Promise<Host> {
  const node = kind === 'local' ? undefined : await startKubo(kubo)
  if (kind === 'kubo') return { url: node!.url, [Symbol.asyncDispose]: () => node![Symbol.asyncDispose]() }
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-kubo-clients-'))
  const gateway = await startGateway({
    dataDir,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
    ipfs:
      node === undefined ? { backend: 'local', maxRequestBytes } : { backend: 'kubo', url: node.url, maxRequestBytes },
    projects: [{ name: 'one', keys: [{ key: 'key', secret: 'secret' }] }],
  })
  return {
    url: gateway.ipfs!,
    authorization: `Basic ${btoa(credentials)}`,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await node?.[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
