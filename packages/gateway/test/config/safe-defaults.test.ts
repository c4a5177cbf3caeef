import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, startGateway, type Config, inspectConfig } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configIssues } from '../../src/config/check.ts'
import { defaultDeny, deniedMethods } from '../../src/config/denied-methods.ts'
import { configWith, network, networks, planned, project, rule, token, upstream } from './weakened-settings.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-defaults-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(config: object): Promise<string> {
  const file = join(folder, 'c.json')
  await writeFile(file, JSON.stringify(configWith(config)))
  return file
}

/** The paths that are refused, or that are told of as warnings. */
async function reported(config: object): Promise<readonly string[]> {
  const { problems, warnings } = await inspectConfig(await written(config), { EMPTY: '', BLANK: ' \t' })
  return [...problems, ...warnings].map(({ path }) => path)
}

describe('a setting that protects something', () => {
  it.each<[string, object]>([
    [
      'no project and nobody in lists that let in',
      { projects: [], trustedProxies: [], bareHosts: [], admin: { hosts: [] } },
    ],
    ['no network of a project', project({ networks: [] })],
    ['methods of other nodes', { methods: { deny: ['foo_bar', 'erigon_*', 'ots_getBlockDetails'] } }],
    [
      'a method in any case where any case counts',
      {
        ...upstream({ methods: { allow: ['ETH_*', 'NET_version'] }, budget: { prices: { eth_getlogs: 5, '*': 1 } } }),
        ...planned({ eth_getlogs: { perDay: { credits: 0 } } }),
      },
    ],
    [
      'every word of the defaults',
      { methods: { deny: [...defaultDeny, 'debug_*', 'DEBUG_traceCall'], denyByDefault: false } },
    ],
    [
      'a star below a name of its own',
      rule('origins', ['https://*.example.com', 'http://*.localhost:3000', 'https://']),
    ],
  ])('is not told of without a fault: %s', async (_what, config) => {
    expect(await reported(config)).toEqual([])
  })
})

it('an empty plan is warned of as one without a limit, as it has no defaults', async () => {
  const plans = { free: {}, paid: { methods: { eth_call: {} } } }
  const { warnings } = await inspectConfig(await written({ plans }), {})
  expect(warnings.map(({ path, expected }) => [path, expected])).toEqual(
    ['plans.free', 'plans.paid.methods.eth_call'].map((path) => [
      path,
      'a limit, as callers of this plan have none here',
    ]),
  )
})

describe('an admin listener', () => {
  const random = 'Zk3vQ8mXw2Lr7TnB5yHc'
  const pathsOf = (admin: string, given: object = {}) =>
    configIssues({ networks, listen: { admin }, ...given }).map(({ path }) => path.join('.'))

  it.each([
    '0.0.0.0:8546',
    '[::]:8546',
    '192.168.1.5:8546',
    '0:8546',
    'gateway.internal:8546',
    '[::ffff:7f00:1]:8546',
    '127.0.0.999:9',
  ])('at %s needs a token, as others than this machine reach it', (address) => {
    expect(pathsOf(address)).toEqual(['admin.token'])
    expect(pathsOf(address, { admin: { hosts: ['a'] } })).toEqual(['admin.token'])
    expect(pathsOf(address, { admin: { tokens: [] } })).toEqual(['admin.tokens', 'admin.token'])
    expect(pathsOf(address, { admin: { token: random } })).toEqual([])
    expect(pathsOf(address, token({ scopes: ['read'] }))).toEqual([])
  })

  it.each(['127.0.0.1:8546', '127.8.9.1:0', 'localhost:8546', '[::1]:8546', '[0:0:0:0:0:0:0:1]:8546'])(
    'at %s needs one only where admin.hosts names a proxy that leads to it',
    (address) => {
      expect(pathsOf(address)).toEqual([])
      const hosts = ['ops.example.org']
      expect(pathsOf(address, { admin: { hosts } })).toEqual(['admin.token'])
      expect(pathsOf(address, { admin: { hosts, token: random } })).toEqual([])
      expect(pathsOf(address, { admin: { tokens: [] } })).toEqual(['admin.tokens'])
    },
  )

  it('without the token that it needs is refused at the start and by a reload, also where nobody checked the configuration', async () => {
    const local = { rpc: '127.0.0.1:0', admin: '0.0.0.0:0' }
    const config = { networks, listen: local } as unknown as Config
    const log = createLog({ level: 'silent' })
    await expect(startGateway(config, { log })).rejects.toThrow(/^admin\.token: expected a token, as whoever reaches/)
    await using gateway = await startGateway({ ...config, admin: { token: random } }, { log })
    const { applied, problems } = await gateway.reload(config)
    expect({ applied, paths: problems.map(({ path }) => path) }).toEqual({ applied: false, paths: ['admin.token'] })
  })
})

describe('methods.deny', () => {
  const denied = (methods?: Config['methods']) => deniedMethods({ ...(methods && { methods }) })

  it('adds to the methods that are denied by default', () => {
    expect(denied()).toEqual(defaultDeny)
    expect(denied({})).toEqual(defaultDeny)
    expect(denied({ deny: ['trace_*'] })).toEqual([...defaultDeny, 'trace_*'])
  })

  it('stands alone only where denyByDefault is false', () => {
    expect(denied({ deny: ['trace_*'], denyByDefault: false })).toEqual(['trace_*'])
    expect(denied({ denyByDefault: false })).toEqual([])
  })

  it('refuses a namespace without its star, and tells the entry that was meant', async () => {
    const file = join(folder, 'e.json')
    await writeFile(file, JSON.stringify({ networks, methods: { deny: ['debug'] } }))
    const { problems } = await inspectConfig(file, {})
    expect(problems.map(({ hint }) => hint)).toEqual(['did you mean "debug_*"?'])
  })

  it.each<[string, object, string]>([
    ['methods.deny[0]', { methods: { deny: ['trcae_*'] } }, 'trace_*'],
    [
      'networks.mainnet.upstreams[0].methods.allow[0]',
      upstream({ methods: { allow: ['eth_cal', 'eth_*'] } }),
      'eth_call',
    ],
    ['networks.mainnet.upstreams[0].methods.deny[0]', upstream({ methods: { deny: ['ETH_CAL'] } }), 'eth_call'],
    [
      'networks.mainnet.upstreams[0].budget.prices.eth_getLog',
      upstream({ budget: { prices: { eth_getLog: 5 } } }),
      'eth_getLogs',
    ],
    [
      'networks.mainnet.timeouts.byMethod.debug_traceBlok',
      network({ timeouts: { byMethod: { debug_traceBlok: '9s' } } }),
      'debug_traceBlock',
    ],
    ['projects[0].timeouts.byMethod["deubg_*"]', project({ timeouts: { byMethod: { 'deubg_*': '9s' } } }), 'debug_*'],
    ['projects[0].rules.methods[0]', rule('methods', ['eth_getlogs']), 'eth_getLogs'],
    ['plans.free.methods.eth_getLosg', planned({ eth_getLosg: { perDay: { credits: 0 } } }), 'eth_getLogs'],
    ['prices.evm.eth_getlogs', { prices: { evm: { eth_getlogs: 0 } } }, 'eth_getLogs'],
    ['prices.evm["DEBUG_*"]', { prices: { evm: { 'DEBUG_*': 9 } } }, 'debug_*'],
    ['prices.rollup.rollup_getinfo', { prices: { rollup: { rollup_getinfo: 9 } } }, 'rollup_getInfo'],
    ['prices.starknet.eth_cal', { prices: { starknet: { eth_cal: 9 } } }, 'eth_call'],
    ['prices.gas.suggestedgasFees', { prices: { gas: { suggestedgasFees: 9 } } }, 'suggestedGasFees'],
    ['prices.events.newheads', { prices: { events: { newheads: 9 } } }, 'newHeads'],
  ])('a name in %s that is nearly a known one is told with the one that was meant', async (path, config, meant) => {
    const { problems, warnings } = await inspectConfig(await written(config), {})
    expect(problems).toEqual([])
    const named = warnings.filter(({ hint }) => hint !== undefined)
    expect(named.map(({ path: at, hint }) => [at, hint])).toEqual([[path, `did you mean "${meant}"?`]])
  })

  it('tells the known method that was meant', async () => {
    const file = join(folder, 'd.json')
    await writeFile(file, JSON.stringify({ networks, methods: { deny: ['trcae_*', 'debug_setHaed'] } }))
    const { warnings } = await inspectConfig(file, {})
    expect(warnings.map(({ hint }) => hint)).toEqual(['did you mean "trace_*"?', 'did you mean "debug_setHead"?'])
  })
})
