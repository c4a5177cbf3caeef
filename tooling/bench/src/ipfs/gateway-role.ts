import { createLog, startGateway } from '@wayleave/gateway'

/** A gateway as an operator runs it: blocks and ledger on the disk, a key and its secret. Tells its URL, with both. */
export async function gatewayRole(
  dataDir: string,
  collectEveryMs: number,
): Promise<{ readonly ready: string; close(): Promise<void> }> {
  const gateway = await startGateway(
    {
      dataDir,
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
      networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:9'] } },
      ipfs: { backend: 'local', maxRequestBytes: 2 ** 40, collectEveryMs },
      projects: [{ name: 'bench', keys: [{ key: 'key', secret: 'secret' }] }],
    },
    { log: createLog({ level: 'error' }) },
  )
  return {
    ready: gateway.ipfs!.replace('://', '://key:secret@'),
    close: () => gateway.close(0),
  }
}
