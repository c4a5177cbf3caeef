import { inspect } from 'node:util'
import { createFeeSource, createGasApi, createGasClient, GasFeesError, type SuggestedGasFees } from '@wayleave/gas-fees'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SimulatedChain, settle } from '../simulated-chain.ts'
import { type Host, serve, startHost } from './gas-host-server.ts'

const apiKey = '0123456789abcdef0123456789abcdef'

async function setup(): Promise<{ readonly chain: SimulatedChain; readonly host: Host }> {
  const chain = new SimulatedChain()
  chain.pushes = true
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock })
  onTestFinished(() => source.close())
  const api = createGasApi({ source: (id) => (id === '1' ? source : undefined), names: { 1: 'Ethereum Mainnet' } })
  await source.current()
  await settle()
  return { chain, host: await startHost(serve(api)) }
}

/** A host that answers everything alike. */
function always(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Host> {
  return startHost((_, response) => void response.writeHead(status, { ...headers }).end(body))
}

describe('the client of the gas API', () => {
  it('asks for each view by the key in the path', async () => {
    const { host } = await setup()
    const gas = createGasClient({ url: `${host.url}/`, apiKey })
    expect(await gas.suggested(1)).toMatchObject({ estimatedBaseFee: '1.000600007' })
    expect(await gas.baseFeeHistory('1')).toHaveLength(500)
    expect(await gas.baseFeePercentile(1)).toBe('1.00035')
    expect(await gas.busyThreshold(1)).toBe('1.00055')
    expect(await gas.supportedChainNames()).toEqual({ 1: 'Ethereum Mainnet' })
    expect(host.requests[0]).toBe(`GET /v3/${apiKey}/networks/1/suggestedGasFees`)
    expect(host.requests.at(-1)).toBe(`GET /v3/${apiKey}/v1/supportedChainNames`)
  })

  it('moves key and secret into HTTP Basic where there is a secret', async () => {
    const { host } = await setup()
    await createGasClient({ url: host.url, apiKey, apiKeySecret: 'sécret' }).suggested(1)
    const basic = Buffer.from(`${apiKey}:sécret`).toString('base64')
    expect(host.requests).toEqual([`GET /networks/1/suggestedGasFees Basic ${basic}`])
  })

  it.each([
    [400, 'unsupported'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'http_status'],
    [429, 'unavailable'],
    [503, 'unavailable'],
  ])('says HTTP %i as %s, with the words of the host', async (status, code) => {
    const body = JSON.stringify({ statusCode: status, message: 'so it is' })
    const { url } = await always(status, body, { 'retry-after': '7' })
    const thrown: unknown = await createGasClient({ url, apiKey })
      .suggested(1)
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(GasFeesError)
    expect(thrown).toMatchObject({ code, message: 'so it is', httpStatus: status, retryAfterMs: 7_000 })
  })

  it.each([apiKey, 'k/é:y"'])('repeats neither key nor secret of what a host says: %s', async (key) => {
    const echo = await startHost((request, response) => {
      const message = `${decodeURIComponent(request.url!)} ${request.url} ${request.headers.authorization}`
      response.writeHead(404).end(JSON.stringify({ message: `${'x'.repeat(450)} ${message}` }))
    })
    for (const apiKeySecret of [undefined, 'sesame']) {
      const gas = createGasClient({ url: echo.url, apiKey: key, apiKeySecret })
      const thrown = (await gas.suggested(1).catch((error: unknown) => error)) as GasFeesError
      const credentials = Buffer.from(`${key}:sesame`).toString('base64')
      for (const secret of [key, encodeURIComponent(key), credentials]) expect(thrown.message).not.toContain(secret)
      expect(thrown.message).not.toMatch(/[0-9a-f]{16}/)
    }
  })

  it('says why there is no connection, and nothing of what the platform said', async () => {
    const fetch = (): Promise<Response> =>
      Promise.reject(new TypeError(`no ${apiKey}`, { cause: { code: 'ECONNREFUSED', url: apiKey } }))
    const gas = createGasClient({ url: 'http://127.0.0.1', apiKey, fetch })
    const thrown: unknown = await gas.suggested(1).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'connect', message: expect.stringContaining('ECONNREFUSED') as string })
    expect(inspect(thrown, { depth: 10, showHidden: true })).not.toContain(apiKey)
  })

  it.each(['0.5', null, [], true])('takes no %j for a congestion', async (networkCongestion) => {
    const { host } = await setup()
    const known = await createGasClient({ url: host.url, apiKey }).suggested(1)
    const { url } = await always(200, JSON.stringify({ ...known, networkCongestion }))
    await expect(createGasClient({ url, apiKey }).suggested(1)).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it.each([{ knownBlocks: '1' }, { congestionBlocks: -1 }, { calibrated: true }, { nodePriorityFee: 1 }, 'no'])(
    'takes no %j for what it lacks',
    async (lacks) => {
      const { host } = await setup()
      const known = await createGasClient({ url: host.url, apiKey }).suggested(1)
      expect(known.wayleave).toEqual({ congestionBlocks: expect.any(Number) as number })
      const { url } = await always(200, JSON.stringify({ ...known, wayleave: lacks }))
      await expect(createGasClient({ url, apiKey }).suggested(1)).rejects.toMatchObject({ code: 'invalid_response' })
    },
  )

  it.each([
    ['{"low":{}}', 'suggestion with members missing'],
    ['<html>', 'what is no JSON'],
    ['null', 'nothing'],
    [`"${'x'.repeat(1_100_000)}"`, 'too much'],
  ])('refuses an answer that is none (%#)', async (body) => {
    const { url } = await always(200, body)
    await expect(createGasClient({ url, apiKey }).suggested(1)).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it('lets members beyond the specification pass', async () => {
    const { host } = await setup()
    const known = await createGasClient({ url: host.url, apiKey }).suggested(1)
    const { url } = await always(200, JSON.stringify({ ...known, version: '0.0.1' }))
    expect(await createGasClient({ url, apiKey }).suggested(1)).toEqual({ ...known, version: '0.0.1' })
  })

  it('gives up after its timeout, when it is aborted, and where nobody listens, without telling the key', async () => {
    const { url } = await startHost(() => {})
    const slow = createGasClient({ url, apiKey, timeoutMs: 50 })
    const late: unknown = await slow.suggested(1).catch((error: unknown) => error)
    expect(late).toMatchObject({ code: 'timeout' })
    const signal = AbortSignal.abort()
    await expect(slow.suggested(1, { signal })).rejects.toMatchObject({ code: 'aborted' })
    const nobody = createGasClient({ url: 'http://127.0.0.1:1', apiKey })
    const refused: unknown = await nobody.suggested(1).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'connect' })
    for (const error of [late, refused]) expect((error as Error).message).not.toContain(apiKey)
  })

  it('follows no redirect: it would carry the key elsewhere', async () => {
    const { url } = await always(302, '', { location: 'http://127.0.0.1:1/' })
    await expect(createGasClient({ url, apiKey }).suggested(1)).rejects.toMatchObject({ code: 'connect' })
  })

  it.each(['', 'gas.example.org', 'ftp://gas.example.org', 'https://user:secret@gas.example.org'])(
    'refuses the URL %j',
    (url) => {
      expect(() => createGasClient({ url, apiKey })).toThrow(expect.objectContaining({ code: 'malformed' }))
      expect(() => createGasClient({ url, apiKey })).not.toThrow(/secret/)
    },
  )
})

async function take(fees: AsyncIterator<SuggestedGasFees>): Promise<string> {
  const { value } = (await fees.next()) as IteratorYieldResult<SuggestedGasFees>
  return value.estimatedBaseFee
}

describe('watching', () => {
  it('iterates over what the host pushes', async () => {
    const { chain, host } = await setup()
    const fees = createGasClient({ url: host.url, apiKey }).watch(1)
    expect(await take(fees)).toBe('1.000600007')
    for (const expected of ['1.000601007', '1.000602007', '1.000603007']) {
      const next = take(fees)
      chain.mine()
      expect(await next).toBe(expected)
    }
    expect(host.requests).toHaveLength(1)
    await fees.return!()
    expect(await fees.next()).toEqual({ done: true, value: undefined })
  })

  it('connects again when the connection breaks', async () => {
    const { chain, host } = await setup()
    const fees = createGasClient({ url: host.url, apiKey, random: () => 0 }).watch(1)
    await take(fees)
    const next = take(fees)
    host.cut()
    expect(await next).toBe('1.000600007')
    const later = take(fees)
    chain.mine()
    expect(await later).toBe('1.000601007')
    expect(host.requests).toHaveLength(2)
    await fees.return!()
  })

  it('connects again when the host falls silent', async () => {
    const { chain, host } = await setup()
    const { clock } = chain
    const silent = await startHost((request, response) => {
      if (request.url!.endsWith('/stream'))
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const fees = createGasClient({ url: silent.url, apiKey, clock, random: () => 0 }).watch(1)
    const next = fees.next()
    while (clock.timers < 2) {
      await settle()
    }
    for (let i = 0; silent.requests.length < 2; i++) {
      if (i % 100 === 0) clock.advance(46_000)
      await settle()
    }
    await fees.return!()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(host.requests).toEqual([])
  })

  it('asks a host that ends each stream after one event less and less often', async () => {
    const { chain, host } = await setup()
    const { clock } = chain
    const known = JSON.stringify(await createGasClient({ url: host.url, apiKey }).suggested(1))
    const hasty = await startHost((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`event: suggestedGasFees\ndata: ${known}\n\n`)
    })
    const fees = createGasClient({ url: hasty.url, apiKey, clock, random: () => 1 }).watch(1)
    const waits: number[] = []
    await take(fees)
    for (let i = 1; i <= 8; i++) {
      const next = take(fees)
      let waited = 0
      for (; hasty.requests.length === i; waited += 250) {
        for (let turns = 0; turns < 20 && hasty.requests.length === i; turns++) await settle()
        if (hasty.requests.length === i) clock.advance(250)
      }
      waits.push(waited)
      await next
    }
    expect(waits.at(-1)).toBeGreaterThan(10_000)
    await fees.return!()
  }, 60_000)

  it('polls a host without a stream, and tells only what is new', async () => {
    const { chain, host } = await setup()
    const answers = [await createGasClient({ url: host.url, apiKey }).suggested(1)]
    chain.mine()
    await settle()
    answers.push(await createGasClient({ url: host.url, apiKey }).suggested(1))
    let polls = 0
    const plain = await startHost((request, response) => {
      if (request.url!.endsWith('/stream')) return void response.writeHead(404).end('not found')
      response.writeHead(200, { 'cache-control': 'max-age=0' }).end(JSON.stringify(answers[polls++ < 2 ? 0 : 1]))
    })
    const fees = createGasClient({ url: plain.url, apiKey }).watch(1)
    expect(await take(fees)).toBe('1.000600007')
    expect(await take(fees)).toBe('1.000601007')
    expect(polls).toBe(3)
    await fees.return!()
  })

  it('throws what asking again cannot mend', async () => {
    const { host } = await setup()
    const unknown = createGasClient({ url: host.url, apiKey }).watch(6001)
    await expect(unknown.next()).rejects.toMatchObject({
      code: 'unsupported',
      message: "'6001' is not a supported chain id.",
    })
    expect(await unknown.next()).toEqual({ done: true, value: undefined })
    const { url } = await always(401, '{"statusCode":401,"message":"Unauthorized"}')
    await expect(createGasClient({ url, apiKey }).watch(1).next()).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('ends with its signal, also while a read waits', async () => {
    const { host } = await setup()
    const abort = new AbortController()
    const fees = createGasClient({ url: host.url, apiKey }).watch(1, { signal: abort.signal })
    await take(fees)
    const next = fees.next()
    abort.abort()
    await expect(next).rejects.toMatchObject({ code: 'aborted' })
    expect(await fees.next()).toEqual({ done: true, value: undefined })
  })

  it('asks nothing before it is read', async () => {
    const { host } = await setup()
    const fees = createGasClient({ url: host.url, apiKey }).watch(1)
    await settle()
    await fees.return!()
    expect(host.requests).toEqual([])
  })
})
