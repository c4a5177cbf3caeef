// A server may repeat whatever a client sent it. Errors hold its words, and never what the client is opened with.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { RpcError } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { type ClientOptions, createClient, createProvider, RevertError } from '../src/index.ts'
import { gas } from '../src/gas/index.ts'
import { redactionOf } from '../src/redaction.ts'
import { verify } from '../src/verify/index.ts'
import { failure, servePeer } from './helpers.ts'
import { shownBy, spellingsOf } from './hostile/secrets-in.ts'

const apiKey = 'k3y"with/odd+chars&5pace'
const apiKeySecret = '53cret\\of/the=key+0123456789'
const url = 'https://rpc.example.org/gate'
const redaction = redactionOf({ url, apiKey, apiKeySecret })

/** Serves each POST by a function of its id and of the request. */
async function serve(
  answer: (id: number, request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => answer((JSON.parse(text) as { id: number }).id, request, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answering = (error: object): Promise<string> =>
  serve((id, _request, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id, error })))

function expectSilence(thrown: unknown, ...secrets: readonly string[]): void {
  const shown = typeof thrown === 'string' ? thrown : shownBy(thrown)
  for (const word of secrets.flatMap(spellingsOf)) expect(shown).not.toContain(word)
}

describe('the words of a server', () => {
  it.each(spellingsOf(apiKey))('lose a key that is spelled %j', (spelled) => {
    expect(redaction.words(`no such key: ${spelled}.`)).not.toContain(spelled)
    expect(redaction.words(`no such key: ${spelled}.`)).toMatch(/^no such key: .*\[redacted\]/)
  })

  it('lose any secret in any spelling, and nothing else', () => {
    const secret = fc
      .string({ minLength: 6, maxLength: 60, unit: 'grapheme-ascii' })
      .filter((text) => text.trim() === text)
    fc.assert(
      fc.property(secret, (one) => {
        const { words } = redactionOf({ url, apiKeySecret: one })
        for (const spelled of spellingsOf(one)) {
          expect(words(`is ${spelled} there?`), spelled).not.toContain(spelled)
        }
        expect(words('nothing of the kind')).toBe('nothing of the kind')
      }),
    )
  })

  it('lose a secret in letters of any kind', () => {
    const one = 'é漢😀 naïve \u00df'
    const { words } = redactionOf({ url, apiKeySecret: one })
    for (const spelled of spellingsOf(one)) expect(words(`is ${spelled} there?`), spelled).not.toContain(spelled)
  })

  it('lose the URL by any scheme, and its path', () => {
    for (const text of [
      'https://rpc.example.org/gate',
      'wss:\\/\\/rpc.example.org\\/gate',
      'https%3A%2F%2Frpc.example.org%2Fgate',
    ]) {
      expect(redaction.words(`at ${text}/x`)).toMatch(/^at \w+(?::|%3A)\[redacted\]\/x$/)
    }
    const node = redactionOf({ url: 'http://someone1:pa55word@node:8545/v3/0123456789abcdef0123?dkey=fedcba987654' })
    expect(node.words('someone1, pa55word, 0123456789abcdef0123, fedcba987654, /v3/0123456789abcdef0123')).toBe(
      '[redacted], [redacted], [redacted], [redacted], /v3/[redacted]',
    )
  })

  it('keep the address of a URL that is nothing but an address', () => {
    for (const part of ['', '/', '/gate?x=1']) {
      const { words } = redactionOf({ url: `http://node:8545${part}`, apiKey }, ['https://gas.example.org/', undefined])
      const text = 'asked http://node:8545 and https://gas.example.org:443'
      expect(words(text)).toBe(text)
    }
    expect(redactionOf({ url: 'http://node:8545/?x=1' }).words('asked http://node:8545?x=1')).toBe(
      'asked http:[redacted]',
    )
  })

  it('take one kB at most, whatever is cut', () => {
    for (const text of [
      'a'.repeat(10_000_000),
      '\u202e'.repeat(9_000),
      '漢'.repeat(9_000),
      `${apiKey} `.repeat(400_000),
    ]) {
      const said = redaction.words(text)
      expect(Buffer.byteLength(said)).toBeLessThanOrEqual(1_024)
      expect(said).toMatch(/…$/)
    }
    // A secret at the cut leaves no part of itself.
    for (let before = 960; before < 1_010; before++) {
      expect(redaction.words('.'.repeat(before) + apiKey + ' '.repeat(2_000))).not.toMatch(/k3y/)
    }
    expect(redaction.words('a'.repeat(1_000))).toBe('a'.repeat(1_000))
  })

  it('show control and bidi characters as what they are', () => {
    expect(redaction.words('a\u001b[31m\u202eb\u0085\u200b\ufeff\ud800\n\tc')).toBe(
      'a\\u001b[31m\\u202eb\\u0085\\u200b\\ufeff\\ud800\\n\\u0009c',
    )
  })

  it('are the title of a page', () => {
    expect(redaction.words('\n<!doctype html><html><title> Please log in </title><p>…')).toBe('Please log in')
    expect(redaction.words('<html><p>…')).toBe('')
  })
})

describe('an error answer', () => {
  it('keeps its bytes where they hold no secret', async () => {
    const data = { deep: [1, '0x'] }
    const client = createClient({ url: await answering({ code: -32000, message: 'no', data }), apiKey, apiKeySecret })
    const { rpc } = (await failure(client.eth.blockNumber())) as RpcError
    expect(rpc).toMatchObject({ code: -32000, message: 'no', data })
    expect(rpc!.raw!.text()).toBe('{"code":-32000,"message":"no","data":{"deep":[1,"0x"]}}')
  })

  it('of 9.5 MB tells 1 kB, in message, stack and rpc', async () => {
    const message = `${apiKey}: ${'a'.repeat(9_500_000)}`
    const client = createClient({ url: await answering({ code: -32000, message }), apiKey, apiKeySecret })
    const thrown = (await failure(client.eth.blockNumber())) as RpcError
    expect(thrown.message).toMatch(/^eth_blockNumber: \[redacted\]: a+… \(-32000\)$/)
    for (const text of [thrown.message, thrown.stack!, thrown.rpc!.message, thrown.rpc!.raw!.text()]) {
      expect(text.length).toBeLessThan(3_000)
    }
  })

  it('shows no secret in message, data, raw or stack, of a client, a provider or raw text', async () => {
    const at = await answering({
      code: -32000,
      message: `unknown key ${apiKey}`,
      data: { [apiKey]: [apiKeySecret, { basic: btoa(`:${apiKeySecret}`), url: encodeURIComponent(apiKey) }] },
    })
    const client = createClient({ url: at, apiKey, apiKeySecret })
    for (const call of [
      client.eth.blockNumber(),
      client.requestRaw('eth_blockNumber'),
      createProvider(client.handler).request({ method: 'eth_blockNumber' }),
    ]) {
      const thrown = await failure(call)
      expectSilence(thrown, apiKey, apiKeySecret)
      expect(thrown.message).toMatch(/unknown key \[redacted\]/)
    }
  })

  it('shows none that is hidden behind a member of the same name, or in hex', async () => {
    const at = await serve((id, _request, response) => {
      const hidden = Buffer.from(apiKey).toString('hex')
      response.end(
        `{"jsonrpc":"2.0","id":${id},"error":{"code":3,"message":${JSON.stringify(apiKey)},"message":"x","data":"0x${hidden}"}}`,
      )
    })
    const thrown = (await failure(createClient({ url: at, apiKey, apiKeySecret }).eth.blockNumber())) as RpcError
    expectSilence([thrown.rpc!.raw!.text(), thrown.rpc!.data].map((text) => new Error(String(text)))[0], apiKey)
    expectSilence(thrown, apiKey)
  })

  it('of a revert shows none in its reason', async () => {
    const reason = Buffer.from(`no ${apiKey}`)
    const word = (value: number): string => value.toString(16).padStart(64, '0')
    const data = `0x08c379a0${word(32)}${word(reason.length)}${reason.toString('hex').padEnd(128, '0')}`
    const thrown = await failure(
      createClient({
        url: await answering({ code: 3, message: 'execution reverted', data }),
        apiKey,
      }).eth.blockNumber(),
    )
    expect(thrown).toBeInstanceOf(RevertError)
    expectSilence(thrown, apiKey)
    expect(JSON.stringify((thrown as RevertError).revert)).not.toContain('k3y')
  })

  it.each([300_000, 9_500_000])('keeps hex data of %i characters, and its bytes', async (length) => {
    const data = `0xdeadbeef${'61'.repeat(length / 2)}`
    for (const each of [data, { data }]) {
      const error = { code: 3, message: 'execution reverted', data: each }
      const client = createClient({ url: await answering(error), apiKey, apiKeySecret })
      const { rpc, revert } = (await failure(client.eth.blockNumber())) as RevertError
      expect(rpc!.raw!.text() === JSON.stringify(error)).toBe(true)
      expect(JSON.stringify(rpc!.data) === JSON.stringify(each)).toBe(true)
      expect(revert.kind).toBe('unknown')
    }
  })

  it('keeps large hex data but for the secrets in it', async () => {
    const key = '0123456789abcdef0123456789abcdef'
    const filler = '61'.repeat(150_000)
    const data = `0x${filler}${key.toUpperCase()}${filler}${Buffer.from(key).toString('hex')}`
    const error = { code: -32000, message: 'no', data }
    const { rpc } = (await failure(
      createClient({ url: await answering(error), apiKey: key }).eth.blockNumber(),
    )) as RpcError
    expect(rpc!.data === `0x${filler}[redacted]${filler}[redacted]`).toBe(true)
    expectSilence(rpc!.raw!.text(), key)
  })

  it('with other data of 300 kB loses them, and is no empty revert', async () => {
    for (const data of ['Z'.repeat(300_000), { data: '0x', more: 'Z'.repeat(300_000) }]) {
      const at = await answering({ code: 3, message: 'execution reverted', data })
      const { rpc, revert } = (await failure(createClient({ url: at }).eth.blockNumber())) as RevertError
      expect(rpc).toMatchObject({ code: 3, data: '0x[redacted]' })
      expect(revert).toEqual({ kind: 'invalid' })
    }
  })

  it('that is nested too deep to be printed again loses its data', async () => {
    const deep = `${'['.repeat(100_000)}"${'x'.repeat(5)}"${']'.repeat(100_000)}`
    const at = await serve((id, _request, response) => {
      response.end(`{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"a\\u0007","data":${deep}}}`)
    })
    const thrown = (await failure(createClient({ url: at }).eth.blockNumber())) as RpcError
    expect(thrown.rpc).toMatchObject({ code: 1, message: 'a\\u0007', data: '0x[redacted]' })
  })
})

describe('any other error', () => {
  it('quotes no secret of a result that is refused', async () => {
    for (const secret of [apiKey, `${apiKeySecret}`]) {
      const { url: at } = await servePeer(secret)
      const client = createClient({ url: at, apiKey, apiKeySecret })
      const thrown = await failure(client.eth.blockNumber())
      expect(thrown.message).toMatch(/^eth_blockNumber result: expected .*, got "?\[redacted\]/)
      expectSilence(thrown, secret)
    }
  })

  it('quotes no part of a secret where it cuts a value', async () => {
    for (let before = 77 - apiKey.length; before < 74; before++) {
      const { url: at } = await servePeer({ hash: `${'.'.repeat(before)}${apiKey}.....` })
      const client = createClient({ url: at, apiKey, coalesce: false })
      const call = client.requestUnchecked('eth_getTransactionByHash', [`0x${'ab'.repeat(32)}`])
      const { message } = await failure(call)
      expect(message).toMatch(/got "\.+\[redacted\]"…$/)
    }
    expect(redaction.words(`it was ${apiKey.slice(0, 9)}…`)).toBe('it was [redacted]…')
    expect(redaction.words(`it was ${apiKey.slice(0, 9)} …`)).toBe(`it was ${apiKey.slice(0, 9)} …`)
  })

  it('quotes none of an answer to another question, or of one that is false', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    for (const level of ['off', 'consistent'] as const) {
      const { url: at } = await servePeer({ hash: apiKey, from: apiKey, type: apiKey })
      const client = createClient({ url: at, apiKey, verify: verify(level) })
      expectSilence(await failure(client.requestUnchecked('eth_getTransactionByHash', [hash])), apiKey)
      const call = createProvider(client.handler).request({ method: 'eth_getTransactionByHash', params: [hash] })
      expectSilence(await failure(call), apiKey)
    }
  })

  it('keeps the message of a token provider, but for the token', async () => {
    const token = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.51gnature'
    let calls = 0
    const provider = (): string => {
      if (calls++ === 0) return token
      throw new Error(`two lines:\nno ${token}`)
    }
    const refusing = await serve((_id, _request, response) => response.writeHead(401).end(`bad ${token}`))
    const client = createClient({ url: refusing, apiKey, token: provider })
    const thrown = await failure(client.eth.blockNumber())
    expectSilence(thrown, token)
    expect(shownBy(thrown)).toContain('two lines:\nno [redacted]')
  })

  it('of the gas API is silent, too', async () => {
    const server = createServer((_request, response) => {
      response
        .writeHead(400)
        .end(JSON.stringify({ message: `${encodeURIComponent(encodeURIComponent(apiKey))} ${apiKey}` }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expectSilence(
      await failure(createClient({ url: at, apiKey, apis: { gas: gas({ chainId: 1 }) } }).gas.suggested()),
      apiKey,
    )
  })
})

describe('a failure names the address that was asked', () => {
  const dead = async (): Promise<number> => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    return port
  }

  it.each<[string, (port: number) => ClientOptions, RegExp]>([
    [
      'HTTP',
      (port) => ({ url: `http://127.0.0.1:${port}`, apiKey, apiKeySecret }),
      /no connection could be made \(ECONNREFUSED\)$/,
    ],
    [
      'HTTP of a node',
      (port) => ({ url: `http://user:pa55word@127.0.0.1:${port}/v3/0123456789abcdef` }),
      /\(ECONNREFUSED\)$/,
    ],
    [
      'WebSocket',
      (port) => ({ url: `ws://user:pa55word@127.0.0.1:${port}/v3/0123456789abcdef` }),
      /no WebSocket connection could be made \(ECONNREFUSED\)$/,
    ],
  ])('by host and port, over %s', async (_what, options, message) => {
    const port = await dead()
    const client = createClient({ ...options(port), retry: false })
    const thrown = await failure(client.eth.blockNumber())
    expect(thrown.message.startsWith(`127.0.0.1:${port}: no `)).toBe(true)
    expect(thrown.message).toMatch(message)
    expectSilence(thrown, 'pa55word', '0123456789abcdef', apiKey, apiKeySecret)
    await client.close()
  })

  it('with the port that a scheme implies', async () => {
    const client = createClient({ url: 'https://localhost', timeoutMs: 5_000, retry: false })
    expect((await failure(client.eth.blockNumber())).message).toMatch(/^localhost:443: /)
  })

  it('also where it does not answer, or answers what is none', async () => {
    const silent = await serve(() => {})
    const client = createClient({ url: silent, timeoutMs: 100 })
    const host = silent.slice('http://'.length)
    expect((await failure(client.eth.blockNumber())).message).toBe(`${host}: no answer within the time allowed`)
    const page = await serve((_id, _request, response) => response.end('<html>'))
    expect((await failure(createClient({ url: page }).eth.blockNumber())).message).toBe(
      `${page.slice('http://'.length)}: a JSON-RPC response object was expected`,
    )
  })

  it('and not where the caller gave up', async () => {
    const client = createClient({ url: await serve(() => {}) })
    const thrown = await failure(client.eth.blockNumber({ signal: AbortSignal.abort() }))
    expect(thrown.message).toBe('the caller aborted the call')
  })
})

describe('the reason of a close', () => {
  it.each(spellingsOf(apiKey).filter((spelled) => Buffer.byteLength(spelled) < 120))(
    'shows no key that is spelled %s',
    async (spelled) => {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      server.on('connection', (socket) => socket.on('message', () => socket.close(1008, `no ${spelled}`)))
      const at = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
      const client = createClient({ url: `${at}/v3/${encodeURIComponent(apiKey)}`, retry: false })
      onTestFinished(() => client.close())
      const thrown = await failure(client.eth.blockNumber())
      expect(thrown.message).toContain('[redacted]')
      expectSilence(thrown, apiKey)
    },
  )
})
