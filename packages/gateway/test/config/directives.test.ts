import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@wayleave/admin-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningGateway } from '@wayleave/gateway'
import { directivesOf } from '../../src/config/directives.ts'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const none = { consistency: undefined, marks: undefined, skipCache: undefined }
const asked = (url: string, head: Partial<typeof none | Record<keyof typeof none, string>> = {}, directives?: object) =>
  directivesOf({ ...none, ...head } as never, url, { directives: directives as never })

describe('a directive', () => {
  it('is the header, else the query, else the default of the project', () => {
    const defaults = { consistency: 'pinned', marks: 'inline', skipCache: 'true' }
    const query = '/v3/k?x-wayleave-consistency=pinned&X-Wayleave-Marks=inline&x-wayleave-skip-cache=true'
    const both = { isPinned: true, inlineMarks: true, skipsCache: true, unknown: undefined }
    const neither = { isPinned: false, inlineMarks: false, skipsCache: false, unknown: undefined }
    expect(asked('/v3/k')).toEqual(neither)
    expect(asked('/v3/k', {}, {})).toEqual(neither)
    expect(asked('/v3/k', {}, defaults)).toEqual(both)
    expect(asked(query)).toEqual(both)
    expect(asked('/v3/k', { consistency: ' Pinned ', marks: 'INLINE', skipCache: 'True' })).toEqual(both)
    expect(asked('/v3/k?x-wayleave-consistency=none', { marks: 'none', skipCache: 'none' }, defaults)).toEqual(neither)
    expect(asked(query, { consistency: 'none', marks: 'none', skipCache: 'none' })).toEqual(neither)
    expect(asked('/v3/k?X-WAYLEAVE-CONSISTENCY=pinned&x-wayleave-consistency=none').isPinned).toBe(true)
  })

  it.each([
    ['/v3/k?x-wayleave-marks=yes', {}, 'X-Wayleave-Marks: expected "inline" or "none", got "yes"'],
    ['/v3/k?x-wayleave-consistency=', {}, 'X-Wayleave-Consistency: expected "pinned" or "none", got ""'],
    [
      '/v3/k?x-wayleave-consistency=pinned',
      { consistency: 'late' },
      'X-Wayleave-Consistency: expected "pinned" or "none", got "late"',
    ],
  ])('whose value has no meaning is the error of each call: %s', (url, head, message) => {
    expect(asked(url, head).unknown).toEqual({ code: -32600, message })
  })

  it('of a project whose value has no meaning says where it stands', () => {
    expect(asked('/v3/k', {}, { marks: 'bold' }).unknown?.message).toBe(
      'X-Wayleave-Marks: expected "inline" or "none", got "bold", the default of the project',
    )
    expect(asked('/v3/k', { marks: 'none' }, { marks: 'bold' }).unknown).toBeUndefined()
  })

  it('that a project does not allow is the error of each call', () => {
    const message = 'X-Wayleave-Skip-Cache: the project does not allow it'
    const defaults = { skipCache: 'never' }
    expect(asked('/v3/k', { skipCache: 'true' }, defaults)).toMatchObject({ skipsCache: false, unknown: { message } })
    expect(asked('/v3/k', {}, defaults)).toMatchObject({ skipsCache: false, unknown: undefined })
  })

  it.each(['/v3/k?', '/v3/k?x=1', '/v3/k?my-x-wayleave-marks=yes', '/v3/k?%E0%A4%A', '/v3/k?&&=&x-wayleave-other=1'])(
    'is in no other query: %s',
    (url) => {
      expect(asked(url)).toEqual({ isPinned: false, inlineMarks: false, skipsCache: false, unknown: undefined })
    },
  )
})

describe('the directives of a gateway', () => {
  const token = 'an-admin-token-of-the-tests'
  const defaultKey = 'key-of-a-pinned-project'
  let node: ChainNode
  let gateway: RunningGateway
  let dataDir: string

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wayleave-directives-'))
    node = await startChainNode(testChain(500), 1)
    node.answer = (method) => (method === 'eth_getBalance' ? { result: '0x1' } : undefined)
    gateway = await startTestGateway([], {
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: true } },
      dataDir,
      admin: { token },
      projects: [
        { name: 'open', keys: [{ key }] },
        { name: 'pinned', keys: [{ key: defaultKey }], directives: { consistency: 'pinned', marks: 'inline' } },
      ],
    })
  })
  afterAll(async () => {
    await gateway.close(0)
    await node.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const balance = frame('eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest'])
  const block = /^0x1f4 0x[\da-f]{64}$/
  const post = (path: string, body = balance, headers: Record<string, string> = {}) =>
    send(gateway.rpc, path, { body, headers })
  const marked = { jsonrpc: '2.0', id: 1, result: '0x1', wayleave: { block: expect.stringMatching(block) } }

  it('pin a request by its query, and tell the block beside each result of a batch', async () => {
    const single = await post(`/v3/${key}?x-wayleave-consistency=pinned`)
    expect([single.headers['x-wayleave-block'], JSON.parse(single.body)]).toEqual([
      expect.stringMatching(block),
      { jsonrpc: '2.0', id: 1, result: '0x1' },
    ])
    const batch = await post(
      `/v3/${key}?x-wayleave-consistency=pinned&x-wayleave-marks=inline`,
      `[${balance},${balance}]`,
    )
    expect(JSON.parse(batch.body)).toEqual([marked, marked])
    expect((await post(`/v3/${key}`)).headers).not.toHaveProperty('x-wayleave-block')
  })

  it('hold over WebSocket by the query, for each message', async () => {
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}?x-wayleave-consistency=pinned&x-wayleave-marks=inline`)
    socket.send(balance)
    expect(await socket.next()).toEqual(marked)
    socket.send(`[${balance}]`)
    expect(await socket.next()).toEqual([marked])
    await socket.close()
    const wrong = await openSocket(`${gateway.ws}/ws/v3/${key}?x-wayleave-consistency=often`)
    const message = 'X-Wayleave-Consistency: expected "pinned" or "none", got "often"'
    wrong.send(balance)
    expect(await wrong.next()).toMatchObject({ error: { code: -32600, message } })
    await wrong.close()
  })

  it('come from a project of the configuration, unless the request says otherwise', async () => {
    expect(JSON.parse((await post(`/v3/${defaultKey}`)).body)).toEqual(marked)
    const plain = await post(`/v3/${defaultKey}?x-wayleave-marks=none`, balance, { 'X-Wayleave-Consistency': 'none' })
    expect([plain.headers['x-wayleave-block'], JSON.parse(plain.body)]).toEqual([
      undefined,
      { jsonrpc: '2.0', id: 1, result: '0x1' },
    ])
  })

  it('come from a project of the store, from the moment they change, and are checked before it keeps them', async () => {
    const client = createAdminClient({ url: gateway.admin, token })
    await client.projects.create({ id: 'shop', name: 'Shop', directives: { consistency: 'pinned' } })
    const created = (await client.keys.create('shop', {})).key!
    const blockOf = async () => (await post(`/v3/${created}`)).headers['x-wayleave-block']
    await expect.poll(blockOf).toMatch(block)
    for (const directives of [{ consistency: 'sometimes' }, { nonsense: 'x' }]) {
      await expect(client.projects.update('shop', { directives })).rejects.toMatchObject({ code: 'invalid' })
    }
    expect(await blockOf()).toMatch(block)
    await client.projects.update('shop', { directives: {} })
    await expect.poll(blockOf).toBeUndefined()
  })

  it('and the fields of limits and origins pass the preflight of a page, and may be read by it', async () => {
    const page = 'https://app.example'
    const wanted = ['content-type', 'authorization', 'x-api-key', 'x-wayleave-consistency', 'x-wayleave-marks']
    for (const path of [`/v3/${key}`, '/v3', `/mainnet/v3/${key}`, '/networks/1/suggestedGasFees']) {
      const preflight = await send(gateway.rpc, path, {
        method: 'OPTIONS',
        headers: {
          Origin: page,
          'Access-Control-Request-Method': path.startsWith('/networks') ? 'GET' : 'POST',
          'Access-Control-Request-Headers': wanted.join(','),
        },
      })
      expect([preflight.status, preflight.headers['access-control-allow-origin']], path).toEqual([204, page])
      const allowed = listOf(preflight.headers['access-control-allow-headers'])
      expect(
        wanted.filter((name) => !allowed.includes(name)),
        path,
      ).toEqual([])
    }
    const { headers } = await post(`/v3/${key}`, balance, { Origin: page, 'X-Wayleave-Consistency': 'pinned' })
    const exposed = listOf(headers['access-control-expose-headers'])
    const sent = Object.keys(headers).filter((name) => name.startsWith('x-wayleave-'))
    expect(sent.length).toBeGreaterThan(1)
    for (const name of [
      ...sent,
      'x-wayleave-derived-from',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-trace-id',
    ])
      expect(exposed).toContain(name)
  })
})

function listOf(header: string | string[] | undefined): readonly string[] {
  return String(header).toLowerCase().split(/, */)
}
