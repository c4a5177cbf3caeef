import { checkConfig, type Config, ConfigError } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'

const network = { kind: 'evm', chainId: 1, upstreams: ['https://node'] }
const starknet = { kind: 'starknet', chainId: 'SN_MAIN', upstreams: ['https://node'] }
const minimal = { networks: { mainnet: network } }
const hidden = 'S3CR3T-value'

function refusalOf(value: unknown): string {
  try {
    checkConfig(value)
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError)
    return (thrown as Error).message
  }
  return 'it was taken'
}

const refusals: readonly (readonly [value: unknown, message: string | RegExp])[] = [
  [undefined, 'the configuration: expected a configuration object, got nothing'],
  ['text', 'the configuration: expected a configuration object, got another value'],
  [{}, /^networks: expected an object, each member a network, got nothing/],
  [{ ...minimal, netwroks: {} }, /^netwroks: expected one of: dataDir, store, listen, .*, got an unknown member$/],
  [{ networks: {} }, 'networks: expected at least one network, got none'],
  [{ networks: { Mainnet: network } }, /^networks\.Mainnet: expected a slug/],
  [{ networks: { ws: network } }, /^networks\.ws: expected a slug/],
  [{ networks: { v3: network } }, /^networks\.v3: expected a slug/],
  [{ networks: { healthz: network } }, /^networks\.healthz: expected a slug/],
  [{ networks: { 'a/b': network } }, /^networks\["a\/b"\]: expected a slug/],
  [
    { networks: { mainnet: { ...network, kind: 'bitcoin' } } },
    'networks.mainnet.kind: expected "evm", "rollup", "starknet" or "jsonrpc", got "bitcoin"',
  ],
  [
    { networks: { 'base-sepolia': { ...network, chainId: '0x1' } } },
    'networks["base-sepolia"].chainId: expected a chain id as a decimal number, got "0x1"; write it as 1, without quotes',
  ],
  [
    { networks: { mainnet: { ...network, chainId: 0 } } },
    'networks.mainnet.chainId: expected a chain id as a decimal number, got 0',
  ],
  [
    { networks: { mainnet: { ...network, upstreams: [] } } },
    'networks.mainnet.upstreams: expected at least 1: a URL or { url }, got an empty array',
  ],
  [
    { networks: { mainnet: { ...network, upstreams: 'https://node' } } },
    /^networks\.mainnet\.upstreams: expected an array/,
  ],
  [
    { networks: { mainnet: { ...network, upstreams: ['ftp://node'] } } },
    'networks.mainnet.upstreams[0]: expected an http, https, ws or wss URL, got another value',
  ],
  [
    { networks: { mainnet: { ...network, upstreams: [{ url: 'node' }] } } },
    'networks.mainnet.upstreams[0].url: expected an http, https, ws or wss URL, got another value; write http:// in front of it',
  ],
  [
    { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', name: 'a b' }] } } },
    /^networks\.mainnet\.upstreams\[0\]\.name: expected a name/,
  ],
  [
    { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', headers: { 'a b': 'c' } }] } } },
    /^networks\.mainnet\.upstreams\[0\]\.headers: expected the name of a header, without spaces/,
  ],
  [
    { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', headers: { a: 'b\r\nc: d' } }] } } },
    /^networks\.mainnet\.upstreams\[0\]\.headers: expected the value of a header, of printable latin letters in one line/,
  ],
  ...[
    'Content-Length',
    'expect',
    'Transfer-Encoding',
    'UPGRADE',
    'Connection',
    'Sec-WebSocket-Protocol',
    'S3CR3T x',
  ].map(
    (header) =>
      [
        { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', headers: { [header]: 'c' } }] } } },
        'networks.mainnet.upstreams[0].headers: expected the name of a header, without spaces, and none that a connection has itself, such as Content-Length, Expect or Upgrade, got another name',
      ] as const,
  ),
  ...['', ' \t'].map(
    (value) =>
      [
        { ...minimal, tracing: { endpoint: 'http://c/v1/traces', headers: { authorization: value } } },
        'tracing.headers: expected the value of a header, of printable latin letters in one line, got another value',
      ] as const,
  ),
  ...['~', '~/x', '$HOME/x'].flatMap((path) => {
    const words = 'with ${HOME} in place of ~, got a path that only a shell reads'
    return [
      [{ ...minimal, dataDir: path }, `dataDir: expected a folder, ${words}`],
      [{ ...minimal, store: { sqlite: path } }, /^store\.sqlite: expected the path of a file, with/],
      [{ ...minimal, usage: { spool: path } }, `usage.spool: expected the path of a file, ${words}`],
      [
        { ...minimal, store: 'memory', ipfs: { backend: 'local', dir: path } },
        /^ipfs\.dir: .* with \$\{HOME\} in place of ~/,
      ],
      [
        { ...minimal, listen: { tls: { cert: path, key: 'k' } } },
        /^listen\.tls\.cert: .* with \$\{HOME\} in place of ~/,
      ],
    ] as const
  }),
  [{ ...minimal, redis: {} }, 'redis: expected a redis or rediss URL, got an object'],
  [{ ...minimal, redis: 'http://u:S3CR3T@h' }, 'redis: expected a redis or rediss URL, got another value'],
  [{ ...minimal, replicas: 0 }, 'replicas: expected a number of processes, got 0'],
  [
    { ...minimal, cache: { redis: 'http://u:S3CR3T@h' } },
    'cache.redis: expected a redis or rediss URL, got another value',
  ],
  [{ ...minimal, redis: [] }, 'redis: expected at least 1: a redis or rediss URL, got an empty array'],
  [
    { ...minimal, redis: ['redis://h', 'S3CR3T'] },
    'redis[1]: expected a redis or rediss URL, got another value; write redis:// in front of it',
  ],
  [
    { networks: { mainnet: { ...network, rollupNode: 'ws://node' } } },
    'networks.mainnet.rollupNode: expected an http or https URL, got another value',
  ],
  [
    { networks: { mainnet: { ...network, rollupMode: 'both' } } },
    'networks.mainnet.rollupMode: expected "sequencer" or "verifier", got "both"',
  ],
  [
    { networks: { mainnet: { ...network, gas: 1 } } },
    'networks.mainnet.gas: expected true, false or { strategy? }, got another value',
  ],
  [
    { networks: { mainnet: { ...network, gas: { strategy: 'cheap' } } } },
    'networks.mainnet.gas.strategy: expected "wayleave" or "metamask", got "cheap"',
  ],
  [
    { networks: { mainnet: { ...network, specVersion: '0.8' } } },
    'networks.mainnet.specVersion: expected no such member: only a network of kind starknet has it, got one',
  ],
  ...[1, '0x', '0xg', '0x0', `0x${'f'.repeat(64)}`, 'SN MAIN', 'A'.repeat(32), ''].map(
    (chainId) =>
      [
        { networks: { sn: { ...starknet, chainId } } },
        `networks.sn.chainId: expected a chain id as text, such as SN_MAIN, or as a felt in hex, got ${JSON.stringify(chainId)}`,
      ] as const,
  ),
  ...['0.5', '0.11', '0.8.1', 'v0_8', 0.8].map(
    (specVersion) =>
      [
        { networks: { sn: { ...starknet, specVersion } } },
        `networks.sn.specVersion: expected "0.5.1" or "0.6" or "0.7" or "0.8" or "0.9" or "0.10", got ${JSON.stringify(specVersion)}${specVersion === 0.8 ? '; write it in quotes' : ''}`,
      ] as const,
  ),
  ...Object.entries({ verify: 'off', gas: false, rollupNode: 'http://node', rollupMode: 'verifier' }).map(
    ([name, value]) =>
      [
        { networks: { sn: { ...starknet, [name]: value } } },
        `networks.sn.${name}: expected no such member: a network of kind starknet has none, got one`,
      ] as const,
  ),
  [
    { networks: { sn: { ...starknet, upstreams: [{ url: 'http://a', verify: 'off' }] } } },
    'networks.sn.upstreams[0].verify: expected no such member: a network of kind starknet has none, got one',
  ],
  [{ networks: { sn: { ...starknet, upstreams: ['node'] } } }, /^networks\.sn\.upstreams\[0\]: expected an http/],
  [{ networks: { networks: network } }, /^networks\.networks: expected a slug/],
  [{ ...minimal, store: { sqlite: '' } }, 'store.sqlite: expected the path of a file, got another value'],
  [
    { ...minimal, store: { sqlite: 'a', postgres: 'postgres://u:S3CR3T@h' } },
    'store.sqlite: expected one of: postgres, got an unknown member',
  ],
  [
    { ...minimal, store: { postgres: 'mysql://u:S3CR3T@h' } },
    'store.postgres: expected a postgres or postgresql URL, got another value',
  ],
  [{ ...minimal, store: 'redis' }, 'store: expected "memory", { sqlite } or { postgres }, got something else'],
  ...[
    [{ name: 'a' }, { name: 'b', id: 'a' }],
    [{ name: 'a', id: 'b' }, { name: 'b' }],
    [
      { name: 'a', id: 'c' },
      { name: 'b', id: 'c' },
    ],
  ].map(
    (projects) =>
      [
        { ...minimal, projects: projects.map((project, i) => ({ ...project, keys: [{ key: `key-${i}` }] })) },
        'projects[1].id: expected an id of its own (default: the name), got a repetition of an earlier one',
      ] as const,
  ),
  [{ ...minimal, defaultNetwork: 'sepolia' }, 'defaultNetwork: expected one of mainnet, got "sepolia"'],
  [{ ...minimal, listen: { rpc: '8545' } }, 'listen.rpc: expected host:port, such as 127.0.0.1:8545, got "8545"'],
  [
    { ...minimal, listen: { rpc: '127.0.0.1:99999' } },
    'listen.rpc: expected host:port, such as 127.0.0.1:8545, got "127.0.0.1:99999"',
  ],
  [{ ...minimal, listen: { rpc: 8545 } }, 'listen.rpc: expected host:port, such as 127.0.0.1:8545, got 8545'],
  [
    { ...minimal, listen: { http: ':1' } },
    'listen.http: expected one of: rpc, ipfs, admin, tls, compress, got an unknown member',
  ],
  [
    { ...minimal, admin: { token: 'short' } },
    'admin.token: expected a token of at least 16 characters, printable ASCII without spaces, got another value',
  ],
  [{ ...minimal, bareHosts: ['a/b'] }, 'bareHosts[0]: expected a host name, got "a/b"'],
  [
    { ...minimal, methods: { deny: ['*'] } },
    'methods.deny[0]: expected a method name such as debug_setHead, or a prefix that ends in *, such as debug_*, got "*"',
  ],
  [{ ...minimal, limits: { maxBatch: 0 } }, 'limits.maxBatch: expected a whole number above 0, got 0'],
  [{ ...minimal, limits: { maxBatch: 1.5 } }, 'limits.maxBatch: expected a whole number above 0, got 1.5'],
  [
    { ...minimal, limits: { maxBatches: 1 } },
    /^limits\.maxBatches: .* got an unknown member; did you mean "maxBatch"\?$/,
  ],
  [
    { ...minimal, projects: [{ name: 'a b', keys: [] }] },
    'projects[0].name: expected a name of letters, digits, - and _, got "a b"',
  ],
  [
    { ...minimal, projects: [{ name: 'p' }] },
    'projects[0].keys: expected an array, each { key, secret? } or { keyHash, secret? }, got nothing',
  ],
  [
    { ...minimal, projects: [{ name: 'p', keys: [], networks: ['sepolia'] }] },
    'projects[0].networks[0]: expected one of mainnet, got "sepolia"',
  ],
  [
    { ...minimal, projects: [{ name: 'p', keys: [], requireSecret: 'yes' }] },
    'projects[0].requireSecret: expected true or false, got another value',
  ],
  [
    { ...minimal, projects: [{ name: 'p', keys: [{ key: 'a b' }] }] },
    'projects[0].keys[0].key: expected a key of 1 to 128 letters, digits, - and _, got another value',
  ],
  [
    { ...minimal, projects: [{ name: 'p', keys: [{ key: 'k', secret: '' }] }] },
    /^projects\[0\]\.keys\[0\]\.secret: expected a secret .*, got another value$/,
  ],
  [
    { ...minimal, projects: [{ name: 'p', keys: [{ key: 'k', secret: 'a\tb' }] }] },
    /^projects\[0\]\.keys\[0\]\.secret: expected a secret .*, got another value$/,
  ],
]

const several: readonly (readonly [what: string, value: unknown, lines: readonly string[]])[] = [
  [
    'in several members, networks and projects',
    {
      networks: { a: { ...network, kind: 'bitcoin', specVersion: '0.5.1' }, B: { ...network, chainId: 0 } },
      projects: [{ name: 'p' }, { name: 'q', keys: [{ key: '!' }], networks: ['a', 'x', 'y'] }],
      store: { url: 'postgres://u:S3CR3T@h' },
    },
    [
      'store: expected "memory", { sqlite } or { postgres }, got something else',
      'networks.a.specVersion: expected no such member: only a network of kind starknet has it, got one',
      'networks.a.kind: expected "evm", "rollup", "starknet" or "jsonrpc", got "bitcoin"',
      'networks.B: expected a slug of lower-case letters, digits and -, that is not a path of its own, got another name',
      'networks.B.chainId: expected a chain id as a decimal number, got 0',
      'projects[0].keys: expected an array, each { key, secret? } or { keyHash, secret? }, got nothing',
      'projects[1].keys[0].key: expected a key of 1 to 128 letters, digits, - and _, got another value',
      'projects[1].networks[1]: expected one of a, B, got "x"',
      'projects[1].networks[2]: expected one of a, B, got "y"',
    ],
  ],
  [
    'in what has to be different',
    {
      networks: { a: { ...network, upstreams: [{ url: 'http://a', name: 'upstream-2' }, 'http://b'] } },
      projects: [
        { name: 'p', keys: [{ key: 'S3CR3T' }], requireSecret: true },
        { name: 'p', keys: [{ key: 'k' }, { key: 'S3CR3T' }] },
      ],
    },
    [
      'networks.a.upstreams[1].name: expected a name of its own, got a repetition of an earlier one',
      'projects[0].keys[0].secret: expected a secret, as the project requires one, got nothing',
      'projects[1].name: expected a name of its own, got a repetition of an earlier one',
      'projects[1].keys[1].key: expected a key that stands once, got a repetition of an earlier one',
    ],
  ],
]

describe('every fault is told at once', () => {
  it.each(several)('%s', (_what, value, lines) => {
    expect(refusalOf(value).split('\n')).toEqual(lines)
  })
})

describe('a configuration is refused', () => {
  it.each(refusals)('where it is %j', (value, message) => {
    const refusal = refusalOf(value)
    if (typeof message === 'string') expect(refusal).toBe(message)
    else expect(refusal).toMatch(message)
  })
})

/** Every way to put a secret where something else was expected. */
const misplaced: readonly unknown[] = [hidden, 1_234_512_345, true, [hidden], { [`a b`]: hidden }].flatMap((value) => [
  value,
  { ...minimal, admin: value },
  { ...minimal, admin: { token: value === hidden ? 'S3CR3T' : value } },
  { ...minimal, listen: value },
  { ...minimal, limits: value },
  { ...minimal, listen: { tls: value } },
  { ...minimal, listen: { tls: { cert: value, key: value === hidden ? 'S3CR3T\0' : value } } },
  { ...minimal, store: value },
  { ...minimal, methods: value },
  { ...minimal, projects: value },
  { ...minimal, projects: [value] },
  { ...minimal, projects: [{ name: 'p', keys: value }] },
  { ...minimal, projects: [{ name: 'p', keys: [value] }] },
  { ...minimal, projects: [{ name: 'p', keys: [{ key: value === hidden ? 'S3CR3T 1' : value }] }] },
  { ...minimal, projects: [{ name: 'p', keys: [{ key: 'k', secret: value === hidden ? 'S3CR3T\n' : value }] }] },
  { networks: value },
  { networks: { kind: value } },
  { networks: { mainnet: value } },
  { networks: { mainnet: { ...network, upstreams: value } } },
  { networks: { mainnet: { ...network, upstreams: [value] } } },
  { networks: { mainnet: { ...network, upstreams: [{ url: value }] } } },
  { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', headers: value }] } } },
  { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', headers: { auth: [value] } }] } } },
  { networks: { mainnet: { ...network, upstreams: [{ url: 'http://a', ws: value }] } } },
  { networks: { mainnet: { ...network, rollupNode: value } } },
  { networks: { mainnet: { ...network, gas: value === true ? [value] : value } } },
  { ...minimal, store: { sqlite: value === hidden ? 'S3CR3T\0' : value } },
  { ...minimal, store: { postgres: value } },
])

describe('a refusal', () => {
  it.each(misplaced.map((value) => [value]))('of %j shows no value that may be secret', (value) => {
    const refusal = refusalOf(value)
    expect(refusal).not.toBe('it was taken')
    expect(refusal).not.toMatch(/S3CR3T|12345/)
  })
})

describe('a configuration is taken', () => {
  it('with nothing but a network', () => {
    expect(checkConfig(minimal)).toBe(minimal)
  })

  it('with everything', () => {
    const full: Config = {
      dataDir: './data',
      store: { postgres: 'postgresql://u:p@db/w' },
      listen: {
        rpc: '0.0.0.0:8545',
        ipfs: '[::1]:5001',
        admin: 'localhost:0',
        tls: { cert: 'cert.pem', key: 'key.pem', minVersion: 'TLSv1.3' },
      },
      admin: { token: 'sixteen-or-more-' },
      defaultNetwork: 'mantle',
      networks: {
        mantle: {
          kind: 'rollup',
          chainId: 5000,
          upstreams: [
            'https://user:pass@node/k',
            {
              url: 'https://node',
              ws: 'wss://node',
              name: 'b',
              headers: { 'X-Api-Key': 'k' },
              tier: 'fallback',
              weight: 0.5,
              price: 0,
              groups: ['paid'],
              methods: { allow: ['eth_*', 'net_version'], deny: ['debug_*'] },
              budget: { perSecond: 500, perDay: 1e6, perMonth: 3e7, prices: { eth_call: 26, 'debug_*': 0, '*': 20 } },
              verify: 'consistent',
            },
          ],
          timeouts: { default: '20s', byMethod: { 'debug_*': '2m', eth_call: 500 } },
          rollupNode: 'http://op-node',
          rollupMode: 'sequencer',
          broadcast: 1,
          gas: { strategy: 'metamask', maxAgeMs: 1, blocksOnDemand: true },
        },
        'starknet-mainnet': {
          kind: 'starknet',
          chainId: '0x534e5f4d41494e',
          upstreams: ['https://node/rpc/v0_8', { url: 'wss://node', name: 'b', headers: { 'X-Api-Key': 'k' } }],
          specVersion: '0.10',
        },
      },
      bareHosts: ['rpc.example.org'],
      methods: { deny: ['admin_*', 'debug_setHead'] },
      projects: [
        {
          name: 'demo',
          keys: [{ key: 'k', secret: 's p a c e' }],
          networks: ['mantle'],
          upstreams: ['paid'],
          showUpstream: true,
          timeouts: { default: '500ms' },
          requireSecret: true,
        },
      ],
      limits: {
        requestTimeoutMs: 1,
        readTimeoutMs: 1,
        maxBodyBytes: 1,
        maxBatch: 1,
        maxUpstreamBytes: 1,
        maxSubscriptions: 1,
        maxInFlight: 1,
        maxConnections: 1,
        webSocketPingMs: 1,
        webSocketIdleMs: 1,
      },
    }
    expect(checkConfig(full)).toBe(full)
  })
})

it.each([
  [
    'a key as a member',
    { projects: [{ name: 'p', keys: [{ 'S3CR3T-key': 'S3CR3T' }] }] },
    /^projects\[0\]\.keys\[0\]: /,
  ],
  ['a token as a member', { admin: { 'S3CR3T-token-of-some-length': true } }, /^admin: /],
  ['a secret as a switch', { projects: [{ name: 'p', keys: [], requireSecret: 'S3CR3T' }] }, /requireSecret/],
  ['an upstream as a slug', { networks: { 'https://u:S3CR3T@node': network } }, /^networks: /],
  ['a URL as a host', { bareHosts: ['http://u:S3CR3T@h'] }, /^bareHosts\[0\]: /],
  ['a user before an address', { listen: { rpc: 'u:S3CR3T@127.0.0.1:1' } }, /^listen\.rpc: /],
  ['a URL as a name', { projects: [{ name: 'https://u:S3CR3T@h', keys: [] }] }, /^projects\[0\]\.name: /],
])('a secret that stands in a wrong place is not printed: %s', (_what, wrong, at) => {
  const message = refusalOf({ ...minimal, ...wrong })
  expect(message).not.toContain('S3CR3T')
  expect(message.split('\n').some((line) => at.test(line))).toBe(true)
})
