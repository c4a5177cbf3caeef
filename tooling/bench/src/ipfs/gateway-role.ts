import { createLog, realSurroundings, startGateway } from '@wayleave/gateway'

/** Runs a gateway as an operator does: ledger and, without a Kubo, blocks on the disk, and a key with a secret. Tells its URL, with both. */
export async function gatewayRole(
  dataDir: string,
  kept: { readonly collectEveryMs: number } | { readonly kuboUrl: string },
): Promise<{ readonly ready: string; close(): Promise<void> }> {
  const gateway = await startGateway(
    {
      dataDir,
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
      networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:9'] } },
      ipfs: {
        maxRequestBytes: 2 ** 40,
        ...('kuboUrl' in kept ? { backend: 'kubo', url: kept.kuboUrl } : { backend: 'local' }),
      },
      projects: [{ name: 'bench', keys: [{ key: 'key', secret: 'secret' }] }],
    },
    { log: createLog({ level: 'error' }), surroundings: { ...realSurroundings, ...kept } },
  )
  return {
    ready: gateway.ipfs!.replace('://', '://key:secret@'),
    close: () => gateway.close(0),
  }
}
