import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as openRequest } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { type Config, createLog, realSurroundings, type RunningGateway, startGateway } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPublicClient, http, webSocket } from 'viem'
import { WebSocket } from 'ws'
import { key } from './support/gateway.ts'
import { call, type HttpReply } from './support/http.ts'
import { answer, answerSocket, type Peer, startPeer } from './support/peer.ts'
import { type Certificate, hasOpenssl, makeCertificate } from './support/tls-certificate.ts'
import { anHour, until } from './support/wait.ts'

let peer: Peer
let own: Certificate
let folder: string

beforeAll(async () => {
  if (!hasOpenssl) return
  peer = await startPeer(answer('0x1'), answerSocket('0x1'))
  own = makeCertificate('one')
  folder = await mkdtemp(join(tmpdir(), 'conformance-tls-'))
})
afterAll(async () => {
  if (!hasOpenssl) return
  await peer[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

type Tls = NonNullable<NonNullable<Config['listen']>['tls']>

async function start(tls: Tls, options: Parameters<typeof startGateway>[1] = {}): Promise<RunningGateway> {
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', tls },
      networks: { net: { kind: 'evm', chainId: 1, upstreams: [peer.httpUrl, peer.wsUrl] } },
      projects: [{ name: 'p', keys: [{ key }] }],
    },
    { log: createLog({ level: 'silent' }), ...options },
  )
  onTestFinished(() => gateway.close(0))
  return gateway
}

function post(url: string, ca: string): Promise<Pick<HttpReply, 'status' | 'text'>> {
  return new Promise((resolve, reject) => {
    const request = openRequest(`${url}/v3/${key}`, { method: 'POST', ca, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
    request.on('error', reject)
    request.end(JSON.stringify(call('eth_chainId')))
  })
}

async function open(url: string, options: ConnectionOptions): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ...options })
  await once(socket, 'secureConnect')
  onTestFinished(() => void socket.destroy())
  return socket
}

const text = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'

describe.skipIf(!hasOpenssl)('a gateway with a certificate (made by openssl)', () => {
  it('serves calls over HTTPS and WSS, and says so in its URLs', async () => {
    const { rpc, ws, admin } = await start(own)
    expect([rpc, ws, admin].map((url) => new URL(url).protocol)).toEqual(['https:', 'wss:', 'http:'])
    expect(await post(rpc, own.cert)).toEqual({ status: 200, text })
    const socket = new WebSocket(`${ws}/ws/v3/${key}`, { ca: own.cert })
    await once(socket, 'open')
    socket.send(JSON.stringify(call('eth_chainId')))
    const [message] = (await once(socket, 'message')) as [Buffer]
    expect(message.toString()).toBe(text)
    socket.close()
    expect((await once(socket, 'close'))[0]).toBe(1005)
  })

  it('serves fetch, and viem over both', async () => {
    const { rpc, ws } = await start(own)
    // What these clients trust is what their process trusts.
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, own.cert])
    onTestFinished(() => setDefaultCACertificates(before))
    const body = JSON.stringify(call('eth_chainId'))
    const response = await fetch(`${rpc}/v3/${key}`, { method: 'POST', body })
    expect(await response.text()).toBe(text)
    expect(await createPublicClient({ transport: http(`${rpc}/v3/${key}`) }).getChainId()).toBe(1)
    const transport = webSocket(`${ws}/ws/v3/${key}`, { reconnect: false, keepAlive: false })
    const client = createPublicClient({ transport })
    expect(await client.getChainId()).toBe(1)
    ;(await client.transport.getRpcClient()).close()
  })

  it('answers an upgrade that comes behind unanswered calls after all of them', async () => {
    const gateway = await start(own)
    let answerHeld: (() => void) | undefined
    const { http: answerHttp, ws: answerWs } = peer
    const afterHeld = (method: string, go: () => void): void => (method === 'test_held' ? void (answerHeld = go) : go())
    peer.http = (asked) => afterHeld(asked.method, () => answerHttp(asked))
    peer.ws = (asked, ...rest) => afterHeld(asked.method, () => answerWs(asked, ...rest))
    onTestFinished(() => void Object.assign(peer, { http: answerHttp, ws: answerWs }))
    const socket = await open(gateway.rpc, { ca: own.cert })
    let came = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (came += chunk))
    const request = (method: string, headers = ''): string => {
      const body = JSON.stringify(call(method))
      return `POST /v3/${key} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
    }
    const offer = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const nonce = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    const offered = [`GET /ws/v3/${key} HTTP/1.1`, 'Host: localhost', ...offer, nonce, '', ''].join('\r\n')
    // The first one offers another upgrade, which is not taken.
    const other = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'
    socket.write(request('test_held', other) + request('test_other') + offered)
    await until('a held call', () => answerHeld !== undefined)
    // A connection that came later is upgraded meanwhile.
    const later = new WebSocket(`${gateway.ws}/ws/v3/${key}`, { ca: own.cert })
    await once(later, 'open')
    later.terminate()
    expect(came).toBe('')
    answerHeld!()
    await until('the upgrade', () => came.includes('101 Switching Protocols'))
    expect(came.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 101'])
  })

  it('takes TLS 1.2 and 1.3, older ones never, and 1.2 not where it is told so', async () => {
    const both = await start(own)
    expect((await open(both.rpc, { ca: own.cert, maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2')
    expect((await open(both.rpc, { ca: own.cert })).getProtocol()).toBe('TLSv1.3')
    const old = { ca: own.cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
    await expect(open(both.rpc, old)).rejects.toThrow(/protocol version/)
    const newest = await start({ ...own, minVersion: 'TLSv1.3' })
    await expect(open(newest.rpc, { ca: own.cert, maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol version/)
  })

  it('takes TLS 1.2 only with forward secrecy and authenticated encryption', async () => {
    const rsa = makeCertificate('rsa', 'rsa')
    const { rpc } = await start(rsa)
    const speak = (ciphers: string): Promise<TLSSocket> =>
      open(rpc, { ca: rsa.cert, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` })
    for (const suite of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305']) {
      expect((await speak(suite)).getCipher().name).toBe(suite)
    }
    // A key exchange by RSA, CBC, and a finite field.
    for (const suite of [
      'AES128-GCM-SHA256',
      'AES256-GCM-SHA384',
      'AES128-SHA',
      'ECDHE-RSA-AES128-SHA256',
      'ECDHE-RSA-AES256-SHA',
      'DHE-RSA-AES128-GCM-SHA256',
    ]) {
      await expect(speak(suite), suite).rejects.toThrow(/handshake failure/)
    }
    expect((await open(rpc, { ca: rsa.cert })).getCipher()).toMatchObject({ version: 'TLSv1.3' })
  })

  it('cuts who speaks plain HTTP, and serves the next', async () => {
    const { rpc } = await start(own)
    await expect(fetch(rpc.replace('https', 'http'))).rejects.toThrow('fetch failed')
    expect((await post(rpc, own.cert)).status).toBe(200)
  })

  it('closes though connections are open that never shook hands, or never asked', async () => {
    const gateway = await start(own)
    const { hostname, port } = new URL(gateway.rpc)
    const silent = connectTcp(Number(port), hostname)
    const half = connectTcp(Number(port), hostname)
    half.write(Buffer.from([22, 3, 1]))
    await Promise.all([once(silent, 'connect'), once(half, 'connect')])
    const unasked = await open(gateway.rpc, { ca: own.cert })
    const gone = Promise.all(
      [silent, half, unasked].map((socket) =>
        once(
          socket.on('error', () => {}),
          'close',
        ),
      ),
    )
    for (const socket of [silent, half, unasked]) socket.resume()
    // The grace is longer than a test may last.
    await gateway.close(anHour)
    expect(await gone).toHaveLength(3)
    await expect(fetch(gateway.rpc)).rejects.toThrow('fetch failed')
  })

  it('gives new connections a renewed certificate, and keeps the open ones', async () => {
    const [cert, privateKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const save = (pair: Certificate) => Promise.all([writeFile(cert, pair.cert), writeFile(privateKey, pair.key)])
    await save(own)
    const looks: (() => void)[] = []
    const { clock } = realSurroundings
    const after: typeof clock.after = (ms, run) => {
      if (ms !== 10_000) return clock.after(ms, run)
      looks.push(run)
      return () => {}
    }
    const lines: string[] = []
    const { rpc, ws } = await start(
      { cert, key: privateKey },
      {
        surroundings: { ...realSurroundings, clock: { ...clock, after } },
        log: createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } }),
      },
    )
    async function look(): Promise<void> {
      looks.shift()!()
      await until('the files are read', () => looks.length === 1)
    }
    const nameOf = async (ca: string) => (await open(rpc, { ca })).getPeerCertificate().subject.CN
    const socket = new WebSocket(`${ws}/ws/v3/${key}`, { ca: own.cert })
    await once(socket, 'open')
    const other = makeCertificate('other')

    // Half of the pair: the old one stays, and that is said once.
    await writeFile(cert, other.cert)
    await look()
    await look()
    expect(await nameOf(own.cert)).toBe('one')
    expect(lines.filter((line) => line.includes('the old certificate stays'))).toHaveLength(1)
    await rm(cert)
    await look()
    expect(lines.at(-1)).toContain('listen.tls.cert: expected a PEM file that can be read')

    await save(other)
    await look()
    expect(await nameOf(other.cert)).toBe('other')
    await expect(post(rpc, own.cert)).rejects.toThrow(/self-signed/)
    expect(await post(rpc, other.cert)).toEqual({ status: 200, text })
    socket.send(JSON.stringify(call('eth_chainId')))
    expect(String((await once(socket, 'message'))[0])).toBe(text)
    socket.terminate()
  })

  it('gives new connections the certificate of a reload, and keeps the open ones', async () => {
    const gateway = await start(own)
    const configOf = (tls: Tls | undefined): Config => ({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ...(tls && { tls }) },
      networks: { net: { kind: 'evm', chainId: 1, upstreams: [peer.httpUrl, peer.wsUrl] } },
      projects: [{ name: 'p', keys: [{ key }] }],
    })
    const socket = new WebSocket(`${gateway.ws}/ws/v3/${key}`, { ca: own.cert })
    await once(socket, 'open')
    const other = makeCertificate('other')
    const mixed = await gateway.reload(configOf({ ...own, cert: other.cert }))
    expect(mixed).toMatchObject({ applied: false, problems: [{ path: 'listen.tls.key' }] })
    const bare = await gateway.reload(configOf(undefined))
    expect(bare).toMatchObject({ applied: false, problems: [{ path: 'listen.tls' }] })
    expect((await post(gateway.rpc, own.cert)).status).toBe(200)
    const report = await gateway.reload(configOf({ ...other, minVersion: 'TLSv1.3' }))
    expect(report).toMatchObject({ applied: true, problems: [] })
    expect(await post(gateway.rpc, other.cert)).toEqual({ status: 200, text })
    await expect(post(gateway.rpc, own.cert)).rejects.toThrow(/self-signed/)
    await expect(open(gateway.rpc, { ca: other.cert, maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol version/)
    socket.send(JSON.stringify(call('eth_chainId')))
    expect(String((await once(socket, 'message'))[0])).toBe(text)
    socket.terminate()
  })

  it('does not start with files that are absent, or belong to two certificates', async () => {
    await expect(start({ cert: join(folder, 'absent.pem'), key: own.key })).rejects.toThrow(
      /^listen\.tls\.cert: expected a PEM file that can be read, got ENOENT$/,
    )
    await expect(start({ cert: own.cert, key: makeCertificate('two').key })).rejects.toThrow(
      /^listen\.tls\.key: expected the private key of the certificate in listen\.tls\.cert, got the ec key of another$/,
    )
    await expect(start({ cert: own.key, key: own.key })).rejects.toThrow(
      /^listen\.tls\.cert: expected a PEM certificate/,
    )
  })

  it('that cannot start leaves no timer behind, whatever it had opened', async () => {
    const clock = new FakeClock()
    await writeFile(join(folder, 'no-folder'), '')
    const owner = await start(own)
    const base = { listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0', tls: own } }
    const failing: readonly Partial<Config>[] = [
      { ...base, dataDir: join(folder, 'data'), ipfs: { backend: 'local', dir: join(folder, 'no-folder') } },
      { listen: { ...base.listen, admin: new URL(owner.admin).host } },
    ]
    for (const config of failing) {
      const starting = startGateway(
        { networks: { net: { kind: 'evm', chainId: 1, upstreams: [peer.httpUrl, peer.wsUrl] } }, ...config },
        { log: createLog({ level: 'silent' }), surroundings: { ...realSurroundings, clock } },
      )
      await expect(starting).rejects.toThrow(/ipfs\.dir|cannot listen/)
      expect(clock.timers).toBe(0)
    }
  })
})
