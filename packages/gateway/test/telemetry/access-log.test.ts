import { hash } from 'node:crypto'
import { type Config, createLog, realSurroundings } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { openSocket } from '../web-socket-client.ts'
import { basic, frame, key, startNode, startTestGateway } from '../support.ts'
import { createTokenSigner, signToken } from '../tokens.ts'

type Line = Readonly<Record<string, unknown>>

const signer = createTokenSigner('ES256', 'ec-1')
const now = (): number => Math.floor(Date.now() / 1_000)
const digestOf = (text: string): string => hash('sha256', text)

async function started(config: Partial<Config>) {
  const node = await startNode(async ({ method }) =>
    method === 'eth_call'
      ? { error: { code: 3, message: 'execution reverted', data: '0x' } }
      : { result: rawJsonFromValue('0x1') },
  )
  onTestFinished(() => node.close())
  const lines: Line[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line) as Line) } })
  // Every second call is drawn by a sample of a half.
  let drawn = 0
  const random = (): number => (drawn++ % 2 === 0 ? 0.4 : 0.6)
  const listen = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
  const whole: Config = {
    listen,
    cache: false,
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
    projects: [{ name: 'open', keys: [{ key }] }],
    ...config,
  }
  const gateway = await startTestGateway([node.url], whole, { log, surroundings: { ...realSurroundings, random } })
  onTestFinished(() => gateway.close(0))
  const post = async (body: string): Promise<string> => {
    const response = await fetch(`${gateway.rpc}/mainnet/v3/${key}`, { method: 'POST', body })
    await response.arrayBuffer()
    return response.headers.get('x-trace-id')!
  }
  return { gateway, lines, post, whole, calls: () => lines.filter(({ msg }) => msg === 'a call') }
}

it('an access log has a line for each call, with its trace id, and neither its params nor its key', async () => {
  const { gateway, post, calls, lines } = await started({ log: { level: 'info', access: { sample: 1 } } })
  const traceId = await post(frame('eth_chainId', ['s3cret']))
  const batchId = await post(`[${frame('eth_call', ['s3cret'])},${frame('eth_blockNumber')}]`)
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  socket.send(frame('eth_gasPrice'))
  await socket.next()
  await socket.close()
  const [single, ...others] = calls()
  expect(single).toMatchObject({
    traceId,
    network: 'mainnet',
    project: 'open',
    key: expect.stringMatching(/^[\da-f]{8}$/) as string,
    method: 'eth_chainId',
    class: 'read',
    outcome: 'ok',
    status: 200,
    bytes: 5,
    ms: expect.any(Number) as number,
  })
  expect(others).toMatchObject([
    { traceId: `${batchId}.1`, method: 'eth_call', outcome: 'execution', code: 3, batch: true },
    { traceId: `${batchId}.2`, method: 'eth_blockNumber', outcome: 'ok', batch: true },
    { traceId: expect.stringMatching(/^[\da-f]{32}\.1$/) as string, method: 'eth_gasPrice', outcome: 'ok' },
  ])
  expect(JSON.stringify(lines)).not.toContain('s3cret')
  expect(JSON.stringify(lines)).not.toContain(key)
})

it('an access log takes the part of the calls that it is told, and none unless it is told', async () => {
  const some = await started({ log: { level: 'info', access: { sample: 0.5 } } })
  for (let i = 0; i < 10; i++) await some.post(frame('eth_chainId'))
  expect(some.calls().length).toBeGreaterThan(0)
  expect(some.calls().length).toBeLessThan(10)
  const none = await started({ log: { level: 'info' } })
  await none.post(frame('eth_chainId'))
  expect(none.calls()).toEqual([])
})

it('a reload changes level, format and access log, without a restart', async () => {
  const { gateway, post, calls, whole, lines } = await started({})
  await post(frame('eth_chainId'))
  expect(lines).toEqual([])
  const config = { ...whole, networks: { mainnet: { ...whole.networks['mainnet']!, followHeads: false } } } as Config
  const report = await gateway.reload({ ...config, log: { level: 'info', access: { sample: 1 } } })
  expect(report).toMatchObject({ applied: true, problems: [] })
  await post(frame('eth_chainId'))
  expect(calls()).toHaveLength(1)
  await gateway.reload(config)
  await post(frame('eth_chainId'))
  expect(calls()).toHaveLength(1)
})

it('keys that are refused get one line for many, and no line holds the key', async () => {
  const { gateway, lines } = await started({})
  for (let i = 0; i < 50; i++) {
    const { status } = await fetch(`${gateway.rpc}/mainnet/v3/a-wr0ng-key-${i}`, { method: 'POST', body: '{}' })
    expect(status).toBe(401)
  }
  const first = { address: '127.0.0.1', key: digestOf('a-wr0ng-key-0').slice(0, 8), reason: 'unknown_key' }
  expect(lines).toMatchObject([{ level: 40, msg: 'a key was refused', network: 'mainnet', ...first }])
  await gateway.close()
  expect(lines).toMatchObject([{}, { msg: 'a key was refused', repeated: 49 }])
  expect(JSON.stringify(lines)).not.toContain('wr0ng')
})

it.each<[string, string, () => Record<string, string>, { reason: string; why?: string | RegExp }]>([
  ['disabled', 'a-disabled-key', () => ({}), { reason: 'revoked', why: 'the key is disabled' }],
  ['expired', 'an-expired-key', () => ({}), { reason: 'revoked', why: 'the key has expired' }],
  ['right, its secret wrong', key, () => ({ Authorization: basic('', 's3cret') }), { reason: 'wrong_secret' }],
  ...(
    [
      ['expired', () => ({ exp: now() - 75 }), /^it expired 7[5-9] s ago \(exp\); the leeway is 60 s$/],
      ['in milliseconds', () => ({ exp: Date.now() }), /^its exp or nbf is after the year 9999: they count seconds/],
      ['for s3cret others', () => ({ aud: 's3cret' }), 'its aud is not the audience of the project'],
    ] as const
  ).map(
    ([name, claims, why]) =>
      [
        `right, its JWT ${name}`,
        key,
        () => ({ Authorization: `Bearer ${signToken(signer, claims())}` }),
        { reason: 'wrong_token', why },
      ] as [string, string, () => Record<string, string>, { reason: string; why?: string | RegExp }],
  ),
])(
  'a refused key that is %s: log and explanation have its id, its caller and the cause, the answer has none of them',
  async (_name, text, headers, { reason, why }) => {
    const { gateway, lines } = await started({
      trustedProxies: ['127.0.0.1'],
      projects: [
        {
          name: 'shop',
          jwt: { keys: [signer.entry] },
          keys: [
            { key },
            { key: 'a-disabled-key', disabled: true },
            { key: 'an-expired-key', expiresAt: '2020-01-01' },
          ],
        },
      ],
    })
    const sent = headers()
    const response = await fetch(`${gateway.rpc}/mainnet/v3/${text}`, {
      method: 'POST',
      body: '{}',
      headers: { ...sent, 'X-Forwarded-For': '2001:db8::7' },
    })
    const answer = await response.text()
    expect(response.status).toBe(401)
    expect(answer).not.toMatch(/revoked|disabled|expired|leeway|aud/)
    const cause = typeof why === 'string' ? why : why && (expect.stringMatching(why) as string)
    const refused = { msg: 'a key was refused', reason, address: '2001:db8::7', key: digestOf(text).slice(0, 8) }
    expect(lines).toMatchObject([{ ...refused, ...(cause !== undefined && { why: cause }) }])
    const explained = await fetch(`${gateway.admin}/explain/${response.headers.get('x-trace-id')}`)
    const reported = await explained.text()
    if (why !== undefined) expect(reported).toContain(`(${reason}: ${lines[0]!['why'] as string})`)
    for (const secret of [text, 's3cret', ...Object.values(sent)])
      expect(JSON.stringify(lines) + reported).not.toContain(secret)
  },
)
