// Connections through real proxies and with real certificates, and all that breaks before they are open.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { createContext } from '@wayleave/jsonrpc-core'
import { createConnector, createUndiciPort, type Way } from '@wayleave/upstream/node'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore The same certificates as the tests of doctor make.
import { type CertificateFiles, makeCertificate } from '../../../../apps/cli/test/doctor/certificates.ts'
import { sleep, startServer, until } from '../support.ts'

interface Pem {
  readonly cert: string
  readonly key: string
}

let ofNode: Pem
let ofGateway: Pem
let ofProxy: Pem

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-connector-'))
  const pemOf = ({ cert, key }: CertificateFiles): Pem => ({
    cert: readFileSync(cert, 'utf8'),
    key: readFileSync(key, 'utf8'),
  })
  ofNode = pemOf(makeCertificate(join(folder, 'node'), '20990101000000Z', 'node.test'))
  ofGateway = pemOf(makeCertificate(join(folder, 'gateway'), '20990101000000Z'))
  ofProxy = pemOf(makeCertificate(join(folder, 'proxy'), '20990101000000Z', 'localhost'))
  rmSync(folder, { recursive: true })
})

/** Opens a connection to an URL. Resolves to its socket, or to the code of its error. */
function open(way: Way, url: string, timeout = 5_000): Promise<unknown> {
  const { protocol, hostname, host, port } = new URL(url)
  const to = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }
  return new Promise((resolve) =>
    createConnector(way, timeout)(to, (...[why, socket]) =>
      resolve(why === null ? socket : (why as NodeJS.ErrnoException).code),
    ),
  )
}

describe('a connection with a certificate', () => {
  it.each([
    ['is no PEM', () => ({ ...ofGateway, cert: 'text' })],
    ['does not fit its key', () => ({ cert: ofGateway.cert, key: ofNode.key })],
  ])('that %s fails with a code', async (_, material) => {
    expect(await open({ tls: async () => material() }, 'https://127.0.0.1:1')).toBe('TLS_FILES')
  })
})

/** Starts a proxy that answers each `CONNECT` by `answer`. */
async function startProxy(answer: (near: Socket, target: string) => void) {
  const server = await startServer(() => {})
  const asked: string[] = []
  server.server.on('connect', ({ url }: IncomingMessage, near: Socket) => {
    asked.push(url!)
    answer(near, url!)
  })
  const end = async (): Promise<void> => {
    for (const socket of server.open) socket.destroy()
    await server[Symbol.asyncDispose]()
  }
  return { url: server.url, open: server.open, asked, [Symbol.asyncDispose]: end }
}

const established = 'HTTP/1.1 200 Connection established\r\n\r\n'

describe('a connection through a proxy', () => {
  it('is not begun where the files of its certificate cannot be read', async () => {
    await using proxy = await startProxy((near) => near.write(established))
    const tls = () => Promise.reject(new Error('ENOENT'))
    expect(await open({ proxy, tls }, 'https://node.test')).toBe('TLS_FILES')
    expect(proxy.asked).toEqual([])
  })

  it('that is reset before TLS is up fails by itself', async () => {
    await using proxy = await startProxy((near) => {
      near.write(established)
      near.once('data', () => near.resetAndDestroy())
    })
    // Files that are read while the tunnel stands are read too late: nothing hears of its end.
    const tls = async () => {
      for (const near of proxy.open) near.resetAndDestroy()
      await sleep(20)
      return ofGateway
    }
    expect(await open({ proxy, tls }, 'https://node.test')).toBe('ECONNRESET')
  })

  it.each([
    ['https://node.test', 'node.test:443'],
    ['http://node.test', 'node.test:80'],
    ['https://[2001:db8::1]:8545', '[2001:db8::1]:8545'],
    ['https://192.0.2.1', '192.0.2.1:443'],
  ])('to %s is asked for as %s', async (url, target) => {
    await using proxy = await startProxy((near) => near.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    expect(await open({ proxy }, url)).toBe('PROXY_403')
    expect(proxy.asked).toEqual([target])
  })

  it('ends in time where headers of the proxy trickle in', async () => {
    await using proxy = await startProxy((near) => {
      near.write('HTTP/1.1 200 Connection established\r\n')
      const trickle = setInterval(() => near.write('X-More: 1\r\n'), 10)
      near.on('close', () => clearInterval(trickle))
    })
    expect(await open({ proxy }, 'https://node.test', 100)).toBe('PROXY_TIMEOUT')
    await until(() => proxy.open.size === 0)
  })

  it('is closed where the certificate of the node is not trusted', async () => {
    const node = createServer(ofNode, () => {}).listen(0, '127.0.0.1')
    await once(node, 'listening')
    onTestFinished(() => void node.close())
    await using proxy = await startProxy((near) => {
      const far = connect((node.address() as AddressInfo).port, '127.0.0.1', () => near.write(established))
      near.pipe(far).pipe(near)
      far.on('error', () => near.destroy())
      near.on('close', () => far.destroy())
    })
    expect(await open({ proxy }, 'https://node.test')).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    await until(() => proxy.open.size === 0)
  })
})

/** Starts a proxy behind TLS that opens no tunnel, and answers all else. Its certificate is trusted until the test ends. */
async function startTlsProxy() {
  const names: unknown[] = []
  const server = createTlsServer(ofProxy, (_incoming, response) => response.end('ok'))
  server.on('secureConnection', ({ servername }: TLSSocket) => names.push(servername))
  server.on('connect', (_incoming, near) => near.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, ofProxy.cert])
  onTestFinished(() => {
    setDefaultCACertificates(trusted)
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, names }
}

describe.each([
  ['a name', 'localhost', 'localhost'],
  ['an address', '127.0.0.1', false],
])('a proxy behind TLS with %s', (_, host, servername) => {
  it('is verified under it when it opens a tunnel', async () => {
    const { port, names } = await startTlsProxy()
    const proxy = { url: `https://${host}:${port}` }
    expect(await open({ proxy }, 'https://node.test')).toBe('PROXY_403')
    expect(names).toEqual([servername])
  })

  it('is verified under it when it sends a request on', async () => {
    const { port, names } = await startTlsProxy()
    const peers = createUndiciPort({ proxy: { url: `https://${host}:${port}` } })
    const asked = { url: 'http://node.test', headers: [], body: '{}' }
    const answer = await peers.http(asked, createContext({ timeoutMs: 5_000 })).finally(() => peers.close())
    expect(answer.status).toBe(200)
    expect(names).toEqual([servername])
  })
})
