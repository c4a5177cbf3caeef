import type { EvmNode, StarknetNode } from './nodes.ts'

export const adminToken = 'the-token-of-the-law'
/** The secret of the project that needs one. */
export const secret = 'a-secret-of-the-law'

/** The projects of the configuration; the key of each is its name after `law-key-of-`. */
const projects = {
  open: {},
  shown: { showUpstream: true, directives: { marks: 'inline' } },
  secret: { requireSecret: true },
  ruled: { rules: { methods: ['eth_blockNumber', 'eth_getBalance'], addresses: [`0x${'ab'.repeat(20)}`] } },
  elsewhere: { networks: ['starknet'] },
  never: { directives: { skipCache: 'never' } },
  quota: { plan: 'day' },
  rested: { plan: 'rate' },
  'rested-in-turns': { plan: 'rate' },
  'rested-at-once': { plan: 'rate' },
  filters: {},
  few: { plan: 'few' },
} as const

/** A project of the configuration. */
export type LawProject = keyof typeof projects

/** The key of a project. */
export const keyOf = (project: string): string => `law-key-of-${project}`

/** The configuration that all deployments have in common. */
export function configOf(evm: Pick<EvmNode['node'], 'url' | 'ws'>, starknet: Pick<StarknetNode, 'url'>): object {
  return {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    admin: { token: adminToken },
    defaultNetwork: 'main',
    networks: {
      main: { kind: 'evm', chainId: 1, upstreams: [{ name: 'node', url: evm.url, ws: evm.ws }] },
      starknet: { kind: 'starknet', chainId: 'SN_MAIN', upstreams: [{ name: 'felt', url: starknet.url }] },
      // Port 1 answers nobody.
      gone: { kind: 'evm', chainId: 5, upstreams: ['http://127.0.0.1:1'], followHeads: false },
    },
    limits: { maxFilters: 20, maxBatch: 5, maxBodyBytes: 20_000, maxSubscriptions: 12 },
    plans: {
      day: { perDay: { credits: 400 } },
      // Five calls of 80 at once, and one every 20 s.
      rate: { perSecond: { credits: 4, burst: 400 } },
      few: { maxFilters: 3 },
    },
    projects: Object.entries(projects).map(([name, settings]) => ({
      name,
      keys: [{ key: keyOf(name), ...(name === 'secret' && { secret }) }],
      ...settings,
    })),
  }
}
