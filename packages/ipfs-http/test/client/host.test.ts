import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createIpfsClient, IpfsError } from '../../src/index.ts'
import { refuse, startTestHost } from './test-host.ts'

const basic = `Basic ${btoa('key-of-mine:secret-of-mine')}`

describe('credentials', () => {
  it.each([
    ['as options', (url: string) => ({ url, apiKey: 'key-of-mine', apiKeySecret: 'secret-of-mine' })],
    ['in the URL', (url: string) => ({ url: url.replace('//', '//key-of-mine:secret-of-mine@') })],
  ])('go into the header: %s', async (_, optionsOf) => {
    const seen: (string | undefined)[] = []
    await using host = await startTestHost(({ request, response }) => {
      seen.push(request.headers.authorization, request.url)
      response.end('{"Version":"1"}')
      return true
    })
    expect(await createIpfsClient(optionsOf(host.url)).version()).toEqual({ Version: '1' })
    expect(seen).toEqual([basic, '/api/v0/version'])
  })

  it('in the URL may hold a percent sign that encodes nothing', async () => {
    await using host = await startTestHost(({ request, response }) => {
      response.end(JSON.stringify({ Version: request.headers.authorization }))
      return true
    })
    const client = createIpfsClient({ url: host.url.replace('//', '//key:100%@') })
    expect(await client.version()).toEqual({ Version: `Basic ${btoa('key:100%')}` })
  })

  it('follow no redirect', async () => {
    await using other = await startTestHost()
    await using host = await startTestHost(({ response }) => {
      response.writeHead(307, { location: `${other.url}/api/v0/version` }).end()
      return true
    })
    const client = createIpfsClient({ url: host.url, apiKey: 'key-of-mine', apiKeySecret: 'secret-of-mine' })
    await expect(client.version()).rejects.toMatchObject({ code: 'http_status', status: 307 })
    expect(other.calls).toEqual([])
  })

  it('never stand in an error, even where the host repeats them', async () => {
    await using host = await startTestHost(({ path, request, response }) => {
      const { authorization = '' } = request.headers
      const said = `${authorization} ${atob(authorization.slice(6))} ${String(request.headers['x-token'])}`
      if (path === 'version') return refuse(response, 401, said)
      response.end(JSON.stringify({ Message: said, Type: 'error' }))
      return true
    })
    const secrets = { apiKey: 'key-of-mine', apiKeySecret: 'secret-of-mine', headers: { 'x-token': 'token-of-mine' } }
    const client = createIpfsClient({ url: host.url, ...secrets })
    const unreachable = createIpfsClient({ url: 'http://key-of-mine@127.0.0.1:1' })
    for (const call of [() => client.version(), () => client.pin.add('x'), () => unreachable.id()]) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown as IpfsError,
      )
      expect(error).toBeInstanceOf(IpfsError)
      expect(`${error!.stack}${JSON.stringify(error)}${String(error!.cause)}`).not.toMatch(/of-mine|a2V5LW9m/)
    }
  })
})

it('credentials never stand in an error, even where JSON hides them', async () => {
  const client = (url: string) => createIpfsClient({ url, headers: { 'x-token': 'a/token/of/mine' } })
  await using host = await startTestHost(({ path, response }) => {
    const said = '{"Message":"no: a\\/token\\/of\\/m\\u0069ne","Type":"error"}'
    response.writeHead(path === 'version' ? 500 : 200).end(said)
    return true
  })
  for (const call of [client(host.url).version(), client(host.url).pin.add('x')]) {
    await expect(call).rejects.toThrow(/no: …$/)
  }
})

it('credentials never stand in an error, even as a URL writes them', async () => {
  await using host = await startTestHost(({ response }) =>
    refuse(response, 500, 'user=key%2Fof+mine&password=p%40ss%21word%2520', 'text'),
  )
  const client = createIpfsClient({ url: host.url, apiKey: 'key/of mine', apiKeySecret: 'p@ss!word%20' })
  await expect(client.id()).rejects.toThrow(/^HTTP 500: user=…&password=…$/)
})

describe('refusals', () => {
  it.each([
    ['600', 600, 513],
    ['9.5 million', 9_500_000, 8],
  ])('of %s characters give a short message', async (_, length, most) => {
    await using host = await startTestHost(({ response }) => refuse(response, 500, 'x'.repeat(length), 'text'))
    const error = await createIpfsClient({ url: host.url })
      .id()
      .catch((thrown: IpfsError) => thrown)
    expect(error).toMatchObject({ code: 'http_status', message: expect.stringMatching(/^HTTP 500/) as string })
    expect((error as IpfsError).message.length).toBeLessThanOrEqual(most)
  })

  it.each([
    [401, 'project id required', 'http_status', /HTTP 401: project id required \(check apiKey/],
    [403, 'not allowed - transfer quota reached', 'http_status', /quota reached/],
    [
      404,
      '404 page not found',
      'http_status',
      /HTTP 404: 404 page not found \(is http:\/\/127\.0\.0\.1:\d+ an IPFS API\?\)$/,
    ],
    [
      413,
      'payload too large',
      'http_status',
      /413: payload too large \(the host takes less in one request: lower maxRequestBytes/,
    ],
    [429, 'rate limited', 'http_status', /wait and retry/],
    [500, 'not pinned or pinned indirectly', 'not_pinned', /not pinned/],
    [500, 'this dag node is a directory', 'is_directory', /directory/],
    [500, 'no link named "x" under Qm', 'not_found', /no link named/],
    [500, 'context deadline exceeded', 'timeout', /deadline/],
    [502, '<html>', 'http_status', /502/],
    [206, 'a part', 'http_status', /206: a part$/],
  ])('HTTP %i, %s', async (status, said, code, message) => {
    for (const as of ['json', 'text'] as const) {
      await using host = await startTestHost(({ response }) => refuse(response, status, said, as))
      const refused = createIpfsClient({ url: host.url }).pin.rm('x')
      await expect(refused).rejects.toMatchObject({ code, status })
      await expect(refused).rejects.toThrow(message)
    }
  })

  it('takes a message of either spelling', async () => {
    await using host = await startTestHost(({ response }) => {
      response.writeHead(500).end('{"message":"not pinned"}')
      return true
    })
    await expect(createIpfsClient({ url: host.url }).pin.rm('x')).rejects.toMatchObject({ code: 'not_pinned' })
  })

  it('say what the host said in one line, without what could steer a terminal or turn the text around', async () => {
    await using host = await startTestHost(({ response }) =>
      refuse(response, 500, 'a\n b\u001b[2J\u009b31m\u202eevil\u2028c'),
    )
    await expect(createIpfsClient({ url: host.url }).id()).rejects.toThrow(
      /^HTTP 500: a b\\u001b\[2J\\u009b31m\\u202eevil c$/,
    )
  })

  it('tells a host that is not there, a URL that is none, and an answer that is no JSON', async () => {
    await expect(createIpfsClient({ url: 'http://127.0.0.1:1' }).id()).rejects.toMatchObject({ code: 'connect' })
    const gone = await startTestHost()
    await gone[Symbol.asyncDispose]()
    const secret = gone.url.replace('//', '//key-of-mine:secret-of-mine@')
    const adding = createIpfsClient({ url: `${secret}/path` }).add('x')
    await expect(adding).rejects.toThrow(new IpfsError('connect', `nothing listens at ${gone.url} (ECONNREFUSED)`))
    for (const url of ['', 'ftp://x', '/api']) expect(() => createIpfsClient({ url })).toThrow(IpfsError)
    await using host = await startTestHost(({ response }) => {
      response.end('<html>')
      return true
    })
    await expect(createIpfsClient({ url: host.url }).id()).rejects.toMatchObject({ code: 'invalid_response' })
  })
})

it('a page that is told of no gzip, as that of another origin, reads all of its bytes', async () => {
  await using host = await startTestHost(({ response }) => {
    const body = gzipSync('{"Version":"1"}')
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.byteLength }).end(body)
    return true
  })
  const fetch: typeof globalThis.fetch = async (...request) => {
    const { body, headers } = await globalThis.fetch(...request)
    return new Response(body, { headers: { 'content-length': headers.get('content-length')! } })
  }
  expect(await createIpfsClient({ url: host.url, fetch }).version()).toEqual({ Version: '1' })
})

describe('signals', () => {
  it('end a call before, in and after its request', async () => {
    await using host = await startTestHost(({ response }) => {
      response.write('{')
      return true
    })
    const client = createIpfsClient({ url: host.url })
    await expect(client.id({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
    expect(host.calls).toEqual([])
    const controller = new AbortController()
    const call = client.id({ signal: controller.signal })
    const reading = client.cat('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', { signal: controller.signal }).bytes()
    while (host.calls.length < 2) await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
  })
})
