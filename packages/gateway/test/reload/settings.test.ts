import { describe, expect, it } from 'vitest'
import { testChain } from '../chain-node.ts'
import { frame, key, send, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { ask, configOf, networkOf, projects, startNodes, startWith } from './support.ts'

const otherKey = 'another-key-of-another-project'

async function begin(more: object = {}) {
  const [a] = await startNodes(testChain(500), 1)
  const networks = { mainnet: networkOf([a!]) }
  const config = configOf(networks, more)
  return { config, gateway: await startWith(config) }
}

describe('keys and projects', () => {
  it('that are removed are unknown, and lose their sockets; others keep theirs', async () => {
    const both = [...projects, { name: 'other', keys: [{ key: otherKey }] }]
    const { config, gateway } = await begin({ projects: both })
    const stays = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    const goes = await openSocket(`${gateway.ws}/ws/v3/${otherKey}`)
    await gateway.reload({ ...config, projects: [{ id: 'open', name: 'renamed', keys: [{ key }] }] })
    await until(() => goes.closed !== undefined)
    expect(goes.closed!.code).toBe(1008)
    expect((await ask(gateway, 'eth_gasPrice', [], `/v3/${otherKey}`)).status).toBe(401)
    stays.send(frame('eth_gasPrice'))
    expect(await stays.next()).toMatchObject({ result: '0x1' })
  })

  it('that are new are known, and rules that change close sockets', async () => {
    const { config, gateway } = await begin()
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    const closed = [{ name: 'open', keys: [{ key }], rules: { methods: ['eth_chainId'] } }]
    await gateway.reload({ ...config, projects: [...closed, { name: 'new', keys: [{ key: otherKey }] }] })
    await until(() => socket.closed !== undefined)
    expect(socket.closed!.code).toBe(1008)
    expect((await ask(gateway, 'eth_gasPrice')).error).toBeDefined()
    expect(await ask(gateway, 'eth_gasPrice', [], `/v3/${otherKey}`)).toMatchObject({ status: 200, result: '0x1' })
  })
})

it.each([
  ['its upstreams', { upstreams: ['open'] }],
  ['where its transactions go', { transactions: 'private' as const }],
])('a project of which a reload changes %s loses its sockets', async (_, change) => {
  const [open, hidden] = await startNodes(testChain(500), 2)
  const { upstreams } = networkOf([open!, hidden!])
  const [first, second] = upstreams as readonly object[]
  const mainnet = networkOf([], {
    upstreams: [
      { ...first, groups: ['open'] },
      { ...second, groups: ['hidden'], private: true },
    ],
  })
  const both = [...projects, { name: 'other', keys: [{ key: otherKey }] }]
  const config = configOf({ mainnet }, { projects: both })
  const gateway = await startWith(config)
  const goes = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  const stays = await openSocket(`${gateway.ws}/ws/v3/${otherKey}`)
  const next = [{ ...projects[0]!, ...change }, both[1]!]
  expect(await gateway.reload({ ...config, projects: next })).toMatchObject({ applied: true })
  await until(() => goes.closed !== undefined)
  expect(goes.closed!.code).toBe(1008)
  stays.send(frame('eth_gasPrice'))
  expect(await stays.next()).toMatchObject({ result: '0x1' })
})

it('what was spent counts on under a plan that changes, over open sockets, too', async () => {
  const planned = [{ name: 'open', keys: [{ key }], plan: 'small' }]
  const plan = (credits: number) => ({ small: { perDay: { credits } } })
  const { config, gateway } = await begin({ projects: planned, plans: plan(1_000), prices: { evm: { '*': 100 } } })
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  for (let i = 0; i < 3; i++) expect((await ask(gateway, 'eth_gasPrice')).status).toBe(200)
  await gateway.reload({ ...config, plans: plan(400) })
  socket.send(frame('eth_gasPrice'))
  expect(await socket.next()).toMatchObject({ result: '0x1' })
  socket.send(frame('eth_gasPrice'))
  expect(await socket.next()).toMatchObject({ error: { code: -32005 } })
  expect((await ask(gateway, 'eth_gasPrice')).status).toBe(402)
})

it('limits, denied methods, hosts and admin tokens are taken', async () => {
  const { config, gateway } = await begin()
  expect((await send(gateway.admin, '/status')).status).toBe(200)
  const next = {
    ...config,
    limits: { maxBodyBytes: 200 },
    methods: { deny: ['eth_gasPrice'] },
    admin: { token: 'an-admin-token-of-some-length-0123456789' },
  }
  expect(await gateway.reload(next)).toMatchObject({ applied: true, problems: [] })
  expect((await send(gateway.admin, '/status')).status).toBe(401)
  expect((await ask(gateway, 'eth_gasPrice')).error.code).toBe(-32601)
  expect((await ask(gateway, 'eth_chainId', ['x'.repeat(300)])).status).toBe(413)
})

describe('a configuration that cannot be taken changes nothing', () => {
  it('where nobody has checked it, and the next one is taken', async () => {
    const { config, gateway } = await begin()
    const report = await gateway.reload({} as typeof config)
    expect(report).toMatchObject({ applied: false, problems: [{ got: expect.stringContaining('failed') }] })
    expect(await gateway.reload({ ...config, onlyLocal: true })).toMatchObject({ applied: true, problems: [] })
    expect((await ask(gateway, 'eth_gasPrice')).status).toBe(200)
  })

  it('where it needs a restart, and says for what', async () => {
    const { config, gateway } = await begin()
    const next = { ...config, store: { sqlite: '/nowhere/at/all' }, projects: [] }
    const report = await gateway.reload(next)
    expect(report).toMatchObject({ applied: false })
    expect(report.problems.map(({ path }) => path)).toEqual(expect.arrayContaining([expect.stringMatching(/^store/)]))
    expect((await ask(gateway, 'eth_gasPrice')).status).toBe(200)
  })

  it('where it has a mistake that only its opening finds, and closes what it has opened', async () => {
    const { config, gateway } = await begin()
    const [b] = await startNodes(testChain(500), 1)
    await ask(gateway, 'eth_gasPrice')
    const twice = [...projects, { name: 'other', keys: [{ key }] }]
    const report = await gateway.reload({ ...config, networks: { mainnet: networkOf([b!]) }, projects: twice })
    expect(report).toMatchObject({ applied: false, problems: [{ got: expect.stringMatching(/stands twice/) }] })
    expect(JSON.stringify(report)).not.toContain(key)
    const unplanned = [{ name: 'open', keys: [{ key }], plan: 'nowhere' }]
    expect(await gateway.reload({ ...config, projects: unplanned })).toMatchObject({ applied: false })
    expect(await ask(gateway, 'eth_gasPrice')).toMatchObject({ result: '0x1' })
    expect(b!.subscribers).toBe(0)
  })

  it('where it changes a budget that calls in flight hold', async () => {
    const { config, gateway } = await begin()
    const report = await gateway.reload({ ...config, limits: { maxCalls: 5, maxBatch: 3 } })
    expect(report).toMatchObject({ applied: false, problems: [{ path: 'limits.maxCalls' }] })
  })

  it('where the gateway ends, which waits for none', async () => {
    const { config, gateway } = await begin()
    await ask(gateway, 'eth_blockNumber')
    const [behind] = await startNodes(testChain(400), 1)
    const reloading = gateway.reload({ ...config, networks: { mainnet: networkOf([behind!]) } })
    await until(() => behind!.subscribers === 1)
    await gateway.close()
    expect(await reloading).toMatchObject({ applied: false })
    expect(await gateway.reload({ ...config, projects: [] })).toMatchObject({ applied: false })
  })
})
