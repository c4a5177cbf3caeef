/** A page as the site lists it. Without `from` and `make` it is written by hand, in `docs/site/pages`. */
export interface MapEntry {
  readonly path: string
  /** In the list at the side; by default the title. */
  readonly text?: string
  /** The file of the repository that it is made from. */
  readonly from?: string
  /** The generator that makes it from code; see `generate.ts`. */
  readonly make?: string
}

/** A part of the site. */
export interface Section {
  readonly title: string
  /** Folded in the list at the side until one of its pages is open. */
  readonly isFolded?: true
  readonly entries: readonly MapEntry[]
}

const manual = (name: string, text: string): MapEntry => ({
  path: `operate/${name}.md`,
  text,
  from: `docs/${name}.md`,
})

const readme = (name: string, folder = 'packages'): MapEntry => ({
  path: `packages/${name}.md`,
  text: name,
  from: `${folder}/${name}/README.md`,
})

/** All pages in the order of reading, but for the results, which are all of `docs/results`. */
export const sections: readonly Section[] = [
  {
    title: 'Start',
    entries: [{ path: 'index.md', text: 'What it is' }, { path: 'start.md' }, { path: 'console.md' }],
  },
  {
    title: 'Guides',
    entries: [
      { path: 'guides/package.md', text: 'Use one package' },
      { path: 'guides/dapp.md', text: 'Build a dApp' },
      { path: 'guides/operator.md', text: 'Run it for others', from: 'docs/operator.md' },
      { path: 'guides/deploy.md', text: 'Images and charts', from: 'deploy/README.md' },
      { path: 'guides/contributor.md', text: 'Work on it' },
    ],
  },
  {
    title: 'Recipes',
    entries: [
      { path: 'recipes/curl.md' },
      { path: 'recipes/viem.md' },
      { path: 'recipes/ethers.md' },
      { path: 'recipes/web3-py.md' },
      { path: 'recipes/ethclient.md' },
      { path: 'recipes/metamask.md' },
      { path: 'recipes/starknet-js.md' },
      { path: 'recipes/kubo-rpc-client.md' },
      { path: 'recipes/one-node-at-home.md', from: 'docs/recipes/one-node-at-home.md' },
    ],
  },
  {
    title: 'How it works',
    entries: [
      { path: 'how/verification.md', text: 'Verification' },
      { path: 'how/fees.md', text: 'Fees' },
      { path: 'how/streams.md', text: 'Streams' },
      { path: 'how/cache.md', text: 'The cache' },
      { path: 'how/security.md', text: 'Security model' },
    ],
  },
  {
    title: 'Operate',
    entries: [
      manual('calls', 'Calls'),
      manual('networks', 'Networks and upstreams'),
      manual('upstreams', 'How an upstream is chosen'),
      manual('starknet', 'Starknet'),
      manual('verification', 'Verification and consensus'),
      manual('verified-members', 'Verified members'),
      manual('streams', 'Streams and filters'),
      manual('cache', 'The cache, in detail'),
      manual('access-and-limits', 'Access, plans and limits'),
      manual('gas-and-ipfs', 'Gas and IPFS'),
      manual('ipfs-server', 'The IPFS server'),
      manual('workers-and-replicas', 'Workers and replicas'),
      manual('embedding', 'On a server of your own'),
      manual('admin', 'The admin listener'),
      manual('monitoring', 'Monitoring'),
    ],
  },
  {
    title: 'Decide',
    entries: [
      { path: 'compare.md', text: 'Beside its peers' },
      { path: 'migrate/infura.md', text: 'From Infura' },
      { path: 'migrate/erpc.md', text: 'From eRPC' },
    ],
  },
  {
    title: 'Reference',
    entries: [
      { path: 'reference/errors.md', text: 'Errors', from: 'docs/errors.md' },
      { path: 'reference/error-codes.md', text: 'Errors in code', make: 'errorCodes' },
      { path: 'reference/configuration.md', text: 'Configuration', from: 'docs/configuration.md' },
      { path: 'reference/command.md', text: 'The command', make: 'command' },
      { path: 'reference/cli.md', text: 'The command in detail', from: 'docs/cli.md' },
      { path: 'reference/evm-methods.md', text: 'EVM methods', make: 'evmMethods' },
      { path: 'reference/starknet-methods.md', text: 'Starknet methods', make: 'starknetMethods' },
      { path: 'reference/ipfs-commands.md', text: 'IPFS commands', make: 'ipfsCommands' },
      { path: 'reference/admin-api.md', text: 'Admin API', make: 'adminApi' },
      { path: 'reference/documents.md', text: 'Schemas to download', make: 'documents' },
      { path: 'reference/metrics.md', text: 'Metrics', from: 'docs/metrics.md' },
      { path: 'reference/ipfs-and-kubo.md', text: 'IPFS beside Kubo', from: 'docs/ipfs-and-kubo.md' },
      { path: 'reference/first-hour.md', text: 'A transcript', from: 'docs/first-hour.md' },
    ],
  },
  {
    title: 'Packages',
    isFolded: true,
    entries: [
      { path: 'packages/index.md', text: 'All packages', make: 'packages' },
      readme('client', 'apps'),
      readme('jsonrpc-core'),
      readme('evm-types'),
      readme('evm-verify'),
      readme('starknet-types'),
      readme('ipfs-http'),
      readme('gas-fees'),
      readme('evm-events'),
      readme('auth'),
      readme('upstream'),
      readme('metering'),
      readme('rpc-cache'),
      readme('admin-api'),
      readme('console'),
      readme('network'),
      readme('http-server'),
      readme('telemetry'),
      readme('gateway'),
      readme('stores'),
      readme('dev-node'),
      readme('proxy', 'apps'),
      readme('cli', 'apps'),
    ],
  },
  {
    title: 'The project',
    isFolded: true,
    entries: [
      { path: 'project/contributing.md', text: 'Contributing', from: 'CONTRIBUTING.md' },
      { path: 'project/architecture.md', text: 'Architecture', from: 'ARCHITECTURE.md' },
      { path: 'project/security.md', text: 'Reporting a weakness', from: 'SECURITY.md' },
    ],
  },
]

/** The section of results; its index is generated. */
export const results = { title: 'Results', folder: 'results', index: 'results/index.md' } as const
