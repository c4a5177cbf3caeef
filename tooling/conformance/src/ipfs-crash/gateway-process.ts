import { createLog, realSurroundings, startGateway } from '@wayleave/gateway'

/* Runs a gateway with blocks and pins in a folder, which collects all the time. Sends its IPFS URL to the parent. */

const [dataDir = ''] = process.argv.slice(2)
const gateway = await startGateway(
  {
    dataDir,
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
    networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:9'] } },
    ipfs: { backend: 'local' },
    projects: [{ name: 'crash', keys: [{ key: 'key', secret: 'secret' }] }],
  },
  { log: createLog({ level: 'error' }), surroundings: { ...realSurroundings, collectEveryMs: 20 } },
)
process.send!(gateway.ipfs)
