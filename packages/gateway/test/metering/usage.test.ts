import { mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue, systemClock } from '@wayleave/jsonrpc-core'
import type { UsageDimension } from '@wayleave/metering'
import { openStores } from '@wayleave/stores'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFeeNode } from '../gas/support.ts'
import { type PushingNode, startPushingNode } from '../pushing-node.ts'
import {
  basic,
  frame,
  post,
  rawConnection,
  refusedUrl,
  secret,
  send,
  sleep,
  startNode,
  startNodeWith,
  startTestGateway,
  type TestNode,
  until,
} from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const key = 'the-key-whose-usage-counts'
const limitedKey = 'a-key-with-a-quota-of-a-day'
const noon = Date.UTC(2026, 10, 23, 12)

let node: TestNode
let pushing: PushingNode
let folder: string
/** Answers that the node keeps back. */
let held: (() => void)[] | undefined

beforeAll(async () => {
  const fees = createFeeNode()
  node = await startNode(async (request, context) => {
    if (request.method !== 'eth_getBalance') return fees.handler(request, context)
    if (held !== undefined) await new Promise<void>((resolve) => held!.push(resolve))
    return { result: rawJsonFromValue('0x1') }
  })
  pushing = await startPushingNode()
})

afterAll(async () => {
  await node.close()
  await pushing.close()
})

beforeEach(async () => {
  held = undefined
  folder = await mkdtemp(join(tmpdir(), 'wayleave-usage-'))
  return () => rm(folder, { recursive: true, force: true })
})

async function open(more: Partial<Config> = {}, date = () => noon): Promise<RunningGateway> {
  return startTestGateway(
    [],
    {
      networks: {
        mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], gas: { blocksOnDemand: true } },
        gone: { kind: 'evm', chainId: 2, upstreams: [await refusedUrl()] },
        pushing: { kind: 'evm', chainId: 3, upstreams: [pushing.url] },
      },
      dataDir: folder,
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      ipfs: { backend: 'local' },
      plans: { small: { perDay: { credits: 160 } } },
      projects: [
        { name: 'open', keys: [{ key, secret }] },
        { name: 'limited', id: 'stable', plan: 'small', keys: [{ key: limitedKey, plan: 'small' }] },
        { name: 'ruled', rules: { methods: ['eth_chainId'] }, keys: [{ key: 'a-key-for-one-method-only' }] },
      ],
      ...more,
    },
    { surroundings: { ...realSurroundings, clock: { ...systemClock, date } } },
  )
}

/** The calls and credits that the store holds, as `network method status: calls, credits`. */
async function counted(
  project: string,
  by: readonly UsageDimension[] = ['network', 'method', 'status'],
): Promise<readonly string[]> {
  await using stores = await openStores({ sqlite: join(folder, 'wayleave.sqlite') })
  const sums = await stores.usage.query({ period: 'hour', from: 0, to: 2 ** 50, where: { project }, by, limit: 1_000 })
  return sums.map((sum) => `${by.map((name) => sum[name]).join(' ')}: ${sum.calls}, ${sum.credits}`)
}

const ask = (gateway: RunningGateway, network: string, body: string, of = key) =>
  send(gateway.rpc, `/${network}/v3/${of}`, { body })
const balance = frame('eth_getBalance')

describe('usage', () => {
  it('has what callers counted, for each API', async () => {
    const gateway = await open()
    for (let i = 0; i < 7; i++) expect((await ask(gateway, 'mainnet', balance)).status).toBe(200)
    const batch = [balance, balance, frame('eth_chainId'), frame('admin_peers')].join()
    expect((await ask(gateway, 'mainnet', `[${batch}]`)).status).toBe(200)
    expect((await ask(gateway, 'gone', balance)).status).toBe(502)
    expect((await ask(gateway, 'mainnet', balance, 'a-key-for-one-method-only')).status).toBe(403)
    const socket = await openSocket(`${gateway.ws}/mainnet/ws/v3/${key}`)
    for (let i = 0; i < 3; i++) {
      socket.send(balance)
      await socket.next()
    }
    await socket.close()
    const gas = `/v3/${key}/networks/1`
    expect((await send(gateway.rpc, `${gas}/suggestedGasFees`)).status).toBe(200)
    expect((await send(gateway.rpc, `${gas}/nothing`)).status).toBe(404)
    const authorization = basic(key, secret)
    for (const command of ['version', 'pin/ls', 'no/such/command']) {
      await send(gateway.ipfs!, `/api/v0/${command}`, { body: '', headers: { Authorization: authorization } })
    }
    await gateway.close()
    expect(await counted('open')).toEqual([
      'gone eth_getBalance 5xx: 1, 0',
      'ipfs other 4xx: 1, 5',
      'ipfs pin/ls 2xx: 1, 80',
      'ipfs version 2xx: 1, 80',
      'mainnet eth_chainId 2xx: 1, 5',
      'mainnet eth_getBalance 2xx: 12, 960',
      'mainnet other 2xx: 1, 80',
      'mainnet other 4xx: 1, 5',
      'mainnet suggestedGasFees 2xx: 1, 80',
    ])
    expect(await counted('ruled')).toEqual(['mainnet eth_getBalance 4xx: 1, 5'])
  })

  it('counts refused calls, which cost nothing, under the id of the project', async () => {
    const gateway = await open()
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await ask(gateway, 'mainnet', balance, limitedKey)).status)
    expect(statuses).toEqual([200, 200, 402, 402])
    expect((await send(gateway.rpc, `/v3/${limitedKey}/networks/1/suggestedGasFees`)).status).toBe(429)
    await gateway.close()
    expect(await counted('stable')).toEqual([
      'mainnet eth_getBalance 2xx: 2, 160',
      'mainnet eth_getBalance 4xx: 2, 0',
      'mainnet suggestedGasFees 4xx: 1, 0',
    ])
  })

  it('makes one row of 10,000 invented methods', async () => {
    const gateway = await open()
    for (let i = 0; i < 10; i++) {
      const calls = Array.from({ length: 1_000 }, (_, j) => frame(`admin_invented_${i}_${j}`))
      expect((await ask(gateway, 'mainnet', `[${calls.join()}]`)).status).toBe(200)
    }
    const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
    expect(metrics).not.toContain('invented')
    await gateway.close()
    expect(await counted('open')).toEqual(['mainnet other 2xx: 10000, 800000'])
  }, 60_000)

  it('tells methods apart that have a price of the configuration', async () => {
    const gateway = await open({ prices: { evm: { admin_mine: 7, 'admin_*': 3 } } })
    await ask(gateway, 'mainnet', `[${frame('admin_mine')},${frame('admin_yours')}]`)
    await gateway.close()
    expect(await counted('open')).toEqual(['mainnet admin_mine 2xx: 1, 7', 'mainnet other 2xx: 1, 3'])
  })

  it('counts a caller who left before the answer as 499, at the full price', async () => {
    const gateway = await open()
    held = []
    const caller = rawConnection(gateway.rpc)
    caller.send(post(`/mainnet/v3/${key}`, balance, ['Host: 127.0.0.1']))
    await until(() => held!.length === 1)
    caller.socket.destroy()
    await until(() => node.cut > 0)
    for (const release of held.splice(0)) release()
    held = undefined
    await gateway.close()
    expect(await counted('open')).toEqual(['mainnet eth_getBalance 4xx: 1, 80'])
  })

  it('counts a caller of the IPFS API who left as 499, too', async () => {
    const gateway = await open()
    const caller = rawConnection(gateway.ipfs!)
    const lines = [
      'POST /api/v0/add HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: ${basic(key, secret)}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 1000',
      'Expect: 100-continue',
    ]
    caller.send(`${lines.join('\r\n')}\r\n\r\n--b\r\n`)
    const isThere = async (): Promise<boolean> => (await counted('open')).length > 0
    await caller.saw(/100 Continue/)
    caller.socket.destroy()
    while (!(await isThere())) await sleep(50)
    await gateway.close()
    expect(await counted('open')).toEqual(['ipfs add 4xx: 1, 80'])
  })

  it('counts the events of a subscription', async () => {
    const gateway = await open()
    const socket = await openSocket(`${gateway.ws}/pushing/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newHeads']))
    await socket.next()
    await until(() => pushing.open.size > 0)
    for (let i = 0; i < 3; i++) {
      pushing.push([...pushing.open].at(-1)!, { number: `0x${i}` })
      await socket.next()
    }
    await socket.close()
    await gateway.close()
    expect(await counted('open')).toEqual(['pushing eth_subscribe 2xx: 1, 5', 'pushing eth_subscription 2xx: 3, 150'])
  })

  it('is the same for answers that calls share', async () => {
    const gateway = await open()
    const before = node.calls.length
    expect((await ask(gateway, 'mainnet', `[${balance},${balance}]`)).status).toBe(200)
    await gateway.close()
    expect(node.calls.length - before).toBe(1)
    expect(await counted('open')).toEqual(['mainnet eth_getBalance 2xx: 2, 160'])
  })

  it('waits while the store is gone, and none is lost', async () => {
    const gateway = await open()
    const file = join(folder, 'wayleave.sqlite')
    const status = async () =>
      (await (await fetch(`${gateway.admin}/status`)).json()) as {
        readonly store: { readonly state: string }
        readonly usage: { readonly waitingRows: number; readonly droppedCalls: number }
      }
    const reported = async (holds: (found: Awaited<ReturnType<typeof status>>) => boolean): Promise<void> => {
      while (!holds(await status())) await sleep(20)
    }
    await rename(file, `${file}.away`)
    await writeFile(file, '')
    await reported(({ store }) => store.state === 'down')
    for (let i = 0; i < 5; i++) expect((await ask(gateway, 'mainnet', balance)).status).toBe(200)
    await reported(({ usage }) => usage.waitingRows === 1)
    expect((await stat(join(folder, 'usage.spool'))).size).toBeGreaterThan(0)
    expect((await fetch(`${gateway.admin}/readyz`)).status).toBe(200)
    const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
    expect(metrics).toContain('\nwayleave_usage_waiting_rows 1\n')
    await rename(`${file}.away`, file)
    await reported(({ store, usage }) => store.state === 'ok' && usage.waitingRows === 0)
    await gateway.close()
    expect(await counted('open')).toEqual(['mainnet eth_getBalance 2xx: 5, 400'])
  }, 60_000)

  it('goes on while the disk of the spool is full, which `/status` tells, and reaches the store', async () => {
    const spool = join(folder, 'full.spool')
    await symlink('/dev/full', spool)
    const gateway = await open({ usage: { spool } })
    for (let i = 0; i < 5; i++) expect((await ask(gateway, 'mainnet', balance)).status).toBe(200)
    const status = async () => (await (await fetch(`${gateway.admin}/status`)).json()) as Record<string, object>
    const isReported = async (): Promise<boolean> =>
      JSON.stringify((await status())['usage']).includes('its disk is full')
    while (!(await isReported())) await sleep(20)
    expect(await status()).toMatchObject({
      degraded: expect.arrayContaining(['usage']) as unknown,
      usage: { droppedCalls: 0, spool: { state: 'down', reason: 'its disk is full' } },
    })
    await gateway.close()
    expect(await counted('open')).toEqual(['mainnet eth_getBalance 2xx: 5, 400'])
  })

  it('refuses a second process the same spool, in words', async () => {
    const gateway = await open()
    await expect(open()).rejects.toThrow(
      /^dataDir: expected a place for the spool of usage that no other process has, got .*usage\.spool, which is in use: stop that process/,
    )
    await gateway.close()
    await (await open()).close()
  })

  it('is not counted where the store is memory', async () => {
    const gateway = await startTestGateway([node.url], { store: 'memory', dataDir: folder })
    const status = (await (await fetch(`${gateway.admin}/status`)).json()) as object
    expect(status).not.toHaveProperty('usage')
    await gateway.close()
  })
})

describe('quotas', () => {
  it('go on after a restart, for keys and projects', async () => {
    for (const expected of [200, 200, 402]) {
      const gateway = await open()
      const answer = await ask(gateway, 'mainnet', balance, limitedKey)
      expect(answer.status).toBe(expected)
      await gateway.close()
    }
    const tomorrow = await open({}, () => noon + 86_400_000)
    const answer = await ask(tomorrow, 'mainnet', balance, limitedKey)
    expect([answer.status, answer.headers['ratelimit']]).toEqual([
      200,
      '"key-day";r=80;t=43200, "project-day";r=80;t=43200',
    ])
    await tomorrow.close()
  })

  it('of methods go on after a restart: of one, and of a prefix, for a key and for its project', async () => {
    const byMethod = {
      methods: { eth_getBalance: { perDay: { credits: 160 } }, 'eth_c*': { perDay: { credits: 10 } } },
    }
    for (const scope of ['key', 'project'] as const) {
      const projects = [
        {
          name: scope,
          ...(scope === 'project' && { plan: 'by' }),
          keys: [{ key, ...(scope === 'key' && { plan: 'by' }) }],
        },
      ]
      const statuses: number[] = []
      for (let start = 0; start < 3; start++) {
        const gateway = await open({ plans: { by: byMethod }, projects })
        for (const method of ['eth_getBalance', 'eth_chainId']) {
          statuses.push((await ask(gateway, 'mainnet', frame(method))).status)
        }
        await gateway.close()
      }
      expect(statuses, scope).toEqual([200, 200, 200, 200, 402, 402])
    }
  })

  it('that reach a mark are told to the webhook', async () => {
    const bodies: string[] = []
    const receiver = await startNodeWith((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        bodies.push(body)
        response.end()
      })
    })
    const gateway = await open({ webhook: { url: `${receiver.url}/hook`, secret: 'a-secret-of-the-receiver' } })
    for (let i = 0; i < 2; i++) await ask(gateway, 'mainnet', balance, limitedKey)
    await until(() => bodies.length === 6)
    await gateway.close()
    await receiver.close()
    const reported = bodies.map((body) => JSON.parse(body) as { type: string; data: { scope: string; mark: number } })
    expect(reported.map(({ type, data }) => `${type} ${data.scope} ${data.mark}`).toSorted()).toEqual([
      'quota.mark key 100',
      'quota.mark key 75',
      'quota.mark key 85',
      'quota.mark project 100',
      'quota.mark project 75',
      'quota.mark project 85',
    ])
    expect(bodies.join()).not.toContain(limitedKey)
    for (const { 'webhook-signature': signature } of receiver.headers) expect(signature).toMatch(/^v1,[\w+/]{43}=$/)
  })

  it('of a month count from its first day on', async () => {
    const plans = { small: { perMonth: { credits: 240 } } }
    // The last days of November, and the first ones of December.
    const days = [22, 23, 30, 30, 31, 31, 32]
    const statuses: number[] = []
    for (const day of days) {
      const gateway = await open({ plans }, () => Date.UTC(2026, 10, day, 12))
      statuses.push((await ask(gateway, 'mainnet', balance, limitedKey)).status)
      await gateway.close()
    }
    expect(statuses).toEqual([200, 200, 200, 402, 200, 200, 200])
  })
})
