import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, ConfigError, type GatewayOptions, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, key, refusedUrl, secret, startTestGateway } from '../support.ts'

const cardless = { key: 'cardless-key', secret: 'cardless-secret' }
const small = { key: 'small-key', secret: 'small-secret' }
const moving = { key: 'moving-key', secret: 'moving-secret' }
const helloCid = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'

let folder: string
let gateway: RunningGateway

async function open(more: Partial<Config> = {}, options: GatewayOptions = {}): Promise<RunningGateway> {
  const config: Partial<Config> = {
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'local' },
    projects: [
      { name: 'demo', keys: [{ key, secret }, { key: 'no-secret' }] },
      { name: 'cardless', keys: [cardless], billingCard: false },
      { name: 'small', keys: [small], ipfs: { storedBytes: 5 } },
      { name: 'moving', keys: [moving], ipfs: { uploadBytes: 1_000, downloadBytes: 10 } },
    ],
    ...more,
  }
  return startTestGateway([await refusedUrl()], config, options)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-'))
  gateway = await open()
})
afterAll(async () => {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
})

async function ask(
  command: string,
  {
    authorization = basic(key, secret),
    upload,
    headers = {},
    method = 'POST',
  }: {
    authorization?: string | undefined
    upload?: string
    headers?: Record<string, string>
    method?: string
  } = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const body = new FormData()
  if (upload !== undefined) body.append('file', new Blob([upload]), 'hello.txt')
  const response = await fetch(`${gateway.ipfs}/api/v0/${command}`, {
    method,
    headers: { ...(authorization && { authorization }), ...headers },
    ...(upload !== undefined && { body }),
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

describe('the IPFS API of a gateway', () => {
  it('adds, reads, lists and unpins for who has key and secret', async () => {
    const added = await ask('add', { upload: 'hello\n' })
    expect(added.status).toBe(200)
    expect(JSON.parse(added.text)).toMatchObject({ Name: 'hello.txt', Hash: helloCid, Size: '14' })
    expect((await ask(`cat?arg=${helloCid}`)).text).toBe('hello\n')
    expect(Object.keys(JSON.parse((await ask('pin/ls')).text).Keys)).toEqual([helloCid])
    expect(JSON.parse((await ask(`pin/rm?arg=${helloCid}`)).text)).toEqual({ Pins: [helloCid] })
    expect(JSON.parse((await ask('pin/ls')).text)).toEqual({ Keys: {} })
  })

  it('counts what a project reads against its own quota, and not against that of uploads', async () => {
    const authorization = basic(moving.key, moving.secret)
    expect((await ask('add', { upload: 'hello\n', authorization })).status).toBe(200)
    expect((await ask(`cat?arg=${helloCid}`, { authorization })).text).toBe('hello\n')
    expect((await ask(`cat?arg=${helloCid}`, { authorization })).status).toBe(403)
    expect((await ask('add', { upload: 'hello\n', authorization })).status).toBe(200)
  })

  it.each([
    ['no credentials', '', 'project id required\n'],
    ['an unknown key', basic('nobody', secret), 'basic auth failure: invalid project id or project secret\n'],
    ['a wrong secret', basic(key, 'wrong'), 'basic auth failure: invalid project id or project secret\n'],
    ['a key alone', basic(key, ''), 'basic auth failure: invalid project id or project secret\n'],
    ['a key that has no secret', basic('no-secret', ''), 'basic auth failure: invalid project id or project secret\n'],
    ['no key', basic('', secret), 'project id required\n'],
    ['another scheme', `Bearer ${secret}`, 'basic auth failure: invalid project id or project secret\n'],
  ])('refuses %s with the text that clients match on', async (_what, authorization, text) => {
    const answer = await ask('version', { authorization })
    expect([answer.status, answer.text]).toEqual([401, text])
    expect(answer.headers.get('www-authenticate')).toContain('Basic')
  })

  it('refuses a project without a billing card, and one whose quota would be passed', async () => {
    const withoutCard = await ask('version', { authorization: basic(cardless.key, cardless.secret) })
    expect([withoutCard.status, withoutCard.text.trim()]).toEqual([403, 'billing card required'])
    const full = await ask('add', { authorization: basic(small.key, small.secret), upload: 'more than five bytes' })
    expect(full.status).toBe(403)
    expect(full.text).toContain('quota')
  })

  it('takes POST alone, and lets web pages in by their preflight', async () => {
    const got = await ask('version', { method: 'GET' })
    expect([got.status, got.text, got.headers.get('allow')]).toEqual([
      405,
      '405 - Method Not Allowed\n',
      'OPTIONS, POST',
    ])
    const origin = 'https://page.example'
    const preflight = await ask('add', {
      method: 'OPTIONS',
      authorization: '',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(preflight.headers.get('allow')).toBe('OPTIONS, POST')
    const answer = await ask('version', { headers: { origin, 'user-agent': 'Mozilla/5.0' } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Content-Length')
  })

  it('lets no browser guess what an answer is', async () => {
    const { Hash: cid } = JSON.parse((await ask('add?pin=false', { upload: '<script>' })).text) as { Hash: string }
    for (const command of ['version', `cat?arg=${cid}`, `get?arg=${cid}`, 'cat?arg=none', 'nothing/of/the/kind']) {
      expect((await ask(command)).headers.get('x-content-type-options'), command).toBe('nosniff')
    }
    for (const options of [{ authorization: '' }, { method: 'GET' }, { method: 'OPTIONS' }]) {
      expect((await ask('version', options)).headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('keeps content and pins over a restart', async () => {
    await ask('add', { upload: 'hello\n' })
    await gateway.close()
    gateway = await open()
    expect(Object.keys(JSON.parse((await ask('pin/ls')).text).Keys)).toEqual([helloCid])
    expect((await ask(`cat?arg=${helloCid}`)).text).toBe('hello\n')
  })

  it('counts answers by command, and says that it serves', async () => {
    await ask('pin/ls')
    await ask('nothing/of/the/kind')
    const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
    expect(metrics).toMatch(/wayleave_ipfs_answers_total\{command="pin\/ls",status="200"\} \d/)
    expect(metrics).toMatch(/wayleave_ipfs_answers_total\{command="other",status="404"\} 1/)
    expect(await (await fetch(`${gateway.admin}/readyz`)).text()).toContain('ipfs: ok\n')
  })

  it('refuses a second gateway on the same folder before it listens', async () => {
    const refusal = await open().catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(ConfigError)
    expect((refusal as Error).message).toMatch(
      /^dataDir: expected a place for the spool of usage that no other process has, got .*in use/,
    )
  })

  it('removes what nobody pins, and keeps what somebody does', async () => {
    await gateway.close()
    gateway = await open({}, { surroundings: { ...realSurroundings, collectEveryMs: 20 } })
    const unpinned = JSON.parse((await ask('add?pin=false', { upload: 'nobody keeps this' })).text).Hash as string
    let status = 200
    for (let i = 0; i < 200 && status === 200; i++) status = (await ask(`block/get?arg=${unpinned}`)).status
    expect(status).toBe(500)
    expect((await ask(`cat?arg=${helloCid}`)).text).toBe('hello\n')
  })

  it('serves only pages and programs of this machine where that is asked for', async () => {
    await gateway.close()
    gateway = await open({ onlyLocal: true })
    const foreign = await ask('version', { headers: { origin: 'https://elsewhere.example' } })
    expect([foreign.status, foreign.text]).toEqual([403, '403 - Forbidden\n'])
    expect(foreign.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    expect(foreign.headers.get('vary')).toBe('Origin')
    expect((await ask('version', { headers: { origin: 'http://localhost:3000' } })).status).toBe(200)
  })
})

it.each([
  [{ backend: 'local', dir: './never-made' }, /^store: expected a database beside ipfs/],
  [{ backend: 'local' }, /^ipfs\.dir: expected a folder/],
] as const)(
  'is refused where nothing would keep its pins, also by who checks no configuration: %j',
  async (ipfs, why) => {
    const refusal = await startTestGateway([await refusedUrl()], { ipfs }).catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(ConfigError)
    expect((refusal as Error).message).toMatch(why)
  },
)

it('says that its Kubo cannot be reached, without the credentials of its URL', async () => {
  const other = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-'))
  const before = await startTestGateway([await refusedUrl()], {
    dataDir: other,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'kubo', url: (await refusedUrl()).replace('//', '//user:S3CR3T@') },
  })
  const response = await fetch(`${before.ipfs}/api/v0/cat?arg=${helloCid}`, {
    method: 'POST',
    headers: { authorization: basic(key, secret) },
  })
  const text = await response.text()
  expect(response.status).toBe(500)
  expect(text).toContain('the IPFS node cannot be reached')
  expect(text).not.toContain('S3CR3T')
  const ready = await fetch(`${before.rpc}/readyz`)
  expect(await ready.text()).toContain('ipfs: the backend does not answer')
  await before.close()
  await rm(other, { recursive: true })
})
