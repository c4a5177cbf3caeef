import {
  checkConfig,
  type ConfigError,
  printProblem,
  type Config,
  type ProjectConfig,
  type UpstreamConfig,
} from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { reportOf, warningPaths, warningsOf } from './report.ts'

const own = { url: 'wss://own', name: 'own' }

function configOf(upstreams: readonly unknown[], project: Partial<ProjectConfig> = {}, further: object = {}): unknown {
  return {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, ...further } },
    projects: [{ name: 'p', keys: [], ...project }],
  }
}

function problemsOf(value: unknown): readonly string[] {
  try {
    checkConfig(value)
  } catch (thrown) {
    return (thrown as ConfigError).problems.map((problem) => printProblem(problem))
  }
  return []
}

const above0 = 'above 0 (to leave an upstream alone, cordon or remove it)'
const at = 'networks.mainnet.upstreams[0]'

describe('a node', () => {
  const nodesAt = async (...upstreams: readonly (string | UpstreamConfig)[]) =>
    (await warningsOf(configOf(upstreams)))
      .filter(({ expected }) => expected.startsWith('a node of its own'))
      .map(({ path, got }) => `${path}: ${got}`)

  it.each<readonly [string | UpstreamConfig, string | UpstreamConfig]>([
    ['http://n', 'http://n/'],
    ['http://n', 'http://N:80'],
    ['http://n.', 'http://n'],
    ['https://n/v3/KEY', 'https://n:443/v3/KEY/'],
    ['https://n/v3/KEY', { url: 'https://n/v3/KEY', name: 'another' }],
    ['http://n:9545', 'ws://n:9545'],
    ['http://127.0.0.1:9545', 'http://localhost:9545/'],
    ['https://n/v2/abc', 'https://n/v2/%61bc'],
    ['https://n/?key=a&b', 'https://n/?b=&key=a'],
    ['https://user:pass@n', { url: 'https://n', headers: { Authorization: 'Basic dXNlcjpwYXNz' } }],
    [
      { url: 'https://n', headers: { 'X-Key': 'k' } },
      { url: 'https://n', headers: { 'x-key': 'k' } },
    ],
  ])('that is listed as %j and as %j is told', async (first, second) => {
    const name = typeof first === 'string' ? 'upstream-1' : (first.name ?? 'upstream-1')
    expect(await nodesAt(first, 'wss://other', second)).toEqual([`networks.mainnet.upstreams[2]: that of ${name}`])
  })

  it.each<readonly [string | UpstreamConfig, string | UpstreamConfig]>([
    ['http://n', 'https://n'],
    ['http://n:9545', 'http://n:9546'],
    ['https://n/v3/KEY', 'https://n/v3/key'],
    ['https://n/?key=a', 'https://n/?key=b'],
    ['http://127.0.0.1:9545', 'http://127.0.0.2:9545'],
    [
      { url: 'https://n', headers: { 'x-key': 'k' } },
      { url: 'https://n', headers: { 'x-key': 'l' } },
    ],
  ])('is another one at %j than at %j', async (first, second) => {
    expect(await nodesAt(first, second)).toEqual([])
  })
})

describe('an upstream is refused', () => {
  it.each<readonly [upstream: object, message: string]>([
    [{ weight: 0 }, `${at}.weight: expected a number ${above0}, got 0`],
    [{ weight: Infinity }, `${at}.weight: expected a number ${above0}, got Infinity`],
    [{ price: -1 }, `${at}.price: expected a number from 0 up, got -1`],
    [{ tier: 'backup' }, `${at}.tier: expected "primary" or "fallback", got "backup"`],
    [
      { methods: { allow: [] } },
      `${at}.methods.allow: expected at least 1: a method name such as debug_setHead, or a prefix that ends in *, such as debug_*, got an empty array`,
    ],
    [
      { methods: { deny: ['*_call'] } },
      `${at}.methods.deny[0]: expected a method name such as debug_setHead, or a prefix that ends in *, such as debug_*, got "*_call"`,
    ],
    [{ methods: ['eth_call'] }, `${at}.methods: expected { allow?, deny? }, got an array of 1`],
    [{ probe: 'no' }, `${at}.probe: expected true or false, got "no"`],
    [{ budget: { perDay: 0 } }, `${at}.budget.perDay: expected a number of units ${above0}, got 0`],
    [
      { budget: { perHour: 1 } },
      `${at}.budget.perHour: expected one of: perSecond, perDay, perMonth, prices, got an unknown member`,
    ],
    [{ budget: { prices: { eth_call: -1 } } }, `${at}.budget.prices.eth_call: expected a number from 0 up, got -1`],
    [
      { budget: { prices: { 'eth call': 1 } } },
      `${at}.budget.prices["eth call"]: expected a method name, a prefix that ends in *, or *, got another name`,
    ],
    [{ ws: 'https://own/S3CR3T' }, `${at}.ws: expected a ws or wss URL, got another value`],
    [
      { url: 'ws://own/S3CR3T', ws: 'ws://own' },
      `${at}.url: expected an http or https URL beside ws, or no ws, got a ws or wss URL`,
    ],
  ])('with %j', (members, message) => {
    expect(problemsOf(configOf([{ url: 'https://own', ...members }, own]))).toEqual([message])
  })

  it('where there are fallbacks only', () => {
    const fallbacks = [
      { url: 'https://a', tier: 'fallback' },
      { url: 'https://b', tier: 'fallback' },
    ]
    expect(problemsOf(configOf(fallbacks))).toEqual([
      'networks.mainnet.upstreams: expected at least one without tier: fallback, as fallbacks are asked when the others cannot take a call, got fallbacks only',
    ])
    expect(problemsOf(configOf([...fallbacks, own]))).toEqual([])
  })
})

describe('the groups of a project', () => {
  it('must be groups that upstreams are in, in any network', () => {
    const grouped = { ...own, groups: ['archive', 'paid'] }
    expect(problemsOf(configOf([grouped, 'https://b'], { upstreams: ['paid', 'own'] }))).toEqual([
      'projects[0].upstreams[1]: expected one of archive, paid, the groups that upstreams are in, got "own"',
    ])
    expect(problemsOf(configOf([own], { upstreams: ['own'] }))).toEqual([
      'projects[0].upstreams[0]: expected a group that upstreams are in: give some upstreams `groups`, got "own"',
    ])
    expect(problemsOf(configOf([own], { upstreams: [] }))[0]).toMatch(/^projects\[0\]\.upstreams: expected at least 1/)
  })
})

describe('the ways of transactions', () => {
  const hidden = { url: 'https://b', private: true }
  const hides = { transactions: 'private' } as const

  it('broadcast is at most the number of upstreams, and of EVM networks alone', () => {
    expect(problemsOf(configOf([own, 'https://b'], {}, { broadcast: 2 }))).toEqual([])
    expect(problemsOf(configOf([own], {}, { broadcast: 2 }))).toEqual([
      'networks.mainnet.broadcast: expected at most 1, as the network has so many upstreams, got 2',
    ])
    expect(problemsOf(configOf([own], {}, { broadcast: 0 }))[0]).toMatch('broadcast: expected a number of upstreams')
    expect(problemsOf(configOf([own], {}, { kind: 'starknet', chainId: 'SN_MAIN', broadcast: 1 }))[0]).toMatch(
      'broadcast: expected no such member: a network of kind starknet has none',
    )
  })

  it('a private project needs a private upstream on each network that it may use', () => {
    expect(problemsOf(configOf([own, hidden], hides))).toEqual([])
    expect(problemsOf(configOf([own], hides))).toEqual([
      'projects[0].transactions: expected an upstream with private: true on mainnet, or a list of networks without, got "private"',
    ])
    const grouped = { ...hidden, groups: ['a'] }
    expect(problemsOf(configOf([{ ...own, groups: ['b'] }, grouped], { ...hides, upstreams: ['a'] }))).toEqual([])
    expect(problemsOf(configOf([{ ...own, groups: ['b'] }, grouped], { ...hides, upstreams: ['b'] }))).toEqual([
      'projects[0].transactions: expected an upstream with private: true in its groups on mainnet, or a list of networks without, got "private"',
    ])
    const other = { networks: { other: { kind: 'evm', chainId: 2, upstreams: [own] } } }
    const both = configOf([own, hidden], { ...hides, networks: ['mainnet'] }) as { networks: object }
    expect(problemsOf({ ...both, networks: { ...both.networks, ...other.networks } })).toEqual([])
    expect(problemsOf(configOf([own], { transactions: 'public' as never }))).toEqual([
      'projects[0].transactions: expected "private", got "public"',
    ])
  })

  it('a network needs an upstream that is not private', () => {
    expect(problemsOf(configOf([hidden], hides))).toEqual([
      'networks.mainnet.upstreams: expected at least one without private: true, for other projects and for what the gateway asks itself, got private ones only',
    ])
  })
})

describe('timeouts', () => {
  const expected = 'a time such as 500ms, 30s or 2m, or a whole number of milliseconds; above 0, at most 24 days'
  it.each([0, -1, 1.5, '0s', '30', '1h', '1.5s', 'soon', '99999999m', 2 ** 31])('of %j are refused', (value) => {
    const got = JSON.stringify(value)
    expect(problemsOf(configOf([own], {}, { timeouts: { byMethod: { 'debug_*': value } } }))).toEqual([
      `networks.mainnet.timeouts.byMethod["debug_*"]: expected ${expected}, got ${got}`,
    ])
    expect(problemsOf(configOf([own], { timeouts: { default: value } }))).toEqual([
      `projects[0].timeouts.default: expected ${expected}, got ${got}`,
    ])
  })

  it('are named by methods', () => {
    expect(problemsOf(configOf([own], {}, { timeouts: { byMethod: { '*': 1 } } }))).toEqual([
      'networks.mainnet.timeouts.byMethod["*"]: expected a method name such as debug_setHead, or a prefix that ends in *, such as debug_*, got another name',
    ])
  })
})

describe('a warning is given', () => {
  const reportedOf = async (upstreams: readonly UpstreamConfig[], project: Partial<ProjectConfig> = {}) =>
    (await warningsOf(configOf(upstreams, project))).map((warning) => printProblem(warning))

  it('of a plain WebSocket beside an encrypted URL', async () => {
    expect(await reportedOf([{ url: 'https://a', ws: 'ws://a' }])).toEqual([
      'networks.mainnet.upstreams[0].ws: expected a wss URL, as url is an https one, got a ws URL',
    ])
    expect(await reportedOf([{ url: 'https://a', ws: 'wss://a' }])).toEqual([])
    expect(await reportedOf([{ url: 'http://a', ws: 'ws://a' }])).toEqual([])
  })

  it('of methods that are allowed nowhere', async () => {
    const reported = (methods: string) => [
      `networks.mainnet.upstreams: expected one whose methods allow ${methods}; to serve a method to nobody, put it into methods.deny, got none`,
    ]
    const rules = (...all: readonly UpstreamConfig['methods'][]) =>
      reportedOf(all.map((methods, i) => ({ url: `wss://${i}`, ...(methods && { methods }) })))
    expect(await rules({ deny: ['debug_*'] }, { deny: ['debug_*', 'trace_block'] })).toEqual(reported('debug_*'))
    expect(await rules({ deny: ['debug_*'] }, { deny: ['debug_setHead'] })).toEqual(reported('debug_setHead'))
    expect(await rules({ deny: ['debug_*'] }, { allow: ['debug_traceCall', 'eth_*'] })).toEqual([])
    expect(await rules({ deny: ['debug_*'] }, undefined)).toEqual([])
    expect(await rules({ allow: ['debug_*'] }, { allow: ['eth_call', 'ETH_BLOCK*', 'eth_chainId'] })).toEqual(
      reported('eth_sendRawTransaction'),
    )
  })

  it('of a project whose groups have private upstreams alone', async () => {
    const upstreams = [own, { url: 'wss://b', groups: ['paid'], private: true }]
    expect(await reportedOf(upstreams, { upstreams: ['paid'] })).toEqual([
      'projects[0].upstreams: expected groups with upstreams of mainnet, or a list of networks without, got paid',
    ])
    expect(await reportedOf(upstreams, { upstreams: ['paid'], transactions: 'private' })).toEqual([])
  })

  it('of networks where no group of a project has an upstream', async () => {
    const config = configOf([{ ...own, groups: ['paid'] }], { upstreams: ['paid'] }) as Config
    const other = { kind: 'evm', chainId: 2, upstreams: [{ url: 'wss://b', groups: ['free'] }] } as const
    const both: Config = { ...config, networks: { ...config.networks, other } }
    expect((await warningsOf(both)).map((warning) => printProblem(warning))).toEqual([
      'projects[0].upstreams: expected groups with upstreams of other, or a list of networks without, got paid',
    ])
    const [project] = config.projects!
    expect(await warningPaths({ ...both, projects: [{ ...project!, networks: ['mainnet'] }] })).toEqual([])
    expect(await warningPaths({ ...both, projects: [{ ...project!, upstreams: ['free', 'paid'] }] })).toEqual([])
  })
})

it('the summary has both addresses of a node, and no secret', async () => {
  const config = configOf([{ url: 'https://u:S3CR3T@a/k', ws: 'wss://a:99/S3CR3T' }, 'https://b']) as Config
  const { summary } = await reportOf(config)
  expect(summary!.networks[0]!.upstreams).toEqual(['https://a', 'wss://a:99', 'https://b'])
})

it.each([
  ['several upstreams of a kind that prunes', {}, 2, 0],
  ['an only upstream', {}, 1, 1],
  ['heads that nobody follows', { followHeads: false }, 2, 1],
  ['several upstreams of Starknet', { kind: 'starknet', chainId: 'SN_MAIN' }, 2, 1],
])('a probe of %s is warned of only if it never happens', async (_what, more, count, warnings) => {
  const upstreams = Array.from({ length: count }, (_, i) => ({
    name: `node-${i}`,
    url: `https://${i}`,
    probe: i === 0,
  }))
  const paths = await warningPaths(configOf(upstreams, {}, more))
  expect(paths.filter((path) => path === `${at}.probe`)).toHaveLength(warnings)
})
