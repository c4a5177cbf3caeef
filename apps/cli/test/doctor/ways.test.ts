// doctor before real servers that are reached in another way than their URL says.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createSecureServer, createServer as createHttp2Server } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsOptions } from 'node:tls'
import type { NetworkConfig, UpstreamConfig } from '@wayleave/gateway'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { checkNetwork } from '../../src/doctor/check-network.ts'
import { type CertificateFiles, makeCertificate } from './certificates.ts'
import { serveTraits } from './nodes.ts'

const folder = mkdtempSync(join(tmpdir(), 'wayleave-doctor-'))
let ofNode: CertificateFiles
let ofGateway: CertificateFiles

beforeAll(() => {
  ofNode = makeCertificate(join(folder, 'node'), '20990101000000Z', 'node.test')
  ofGateway = makeCertificate(join(folder, 'gateway'), '20990101000000Z')
  return () => rmSync(folder, { recursive: true })
})

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket)).on('sessionError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const answering =
  (status: number, page = '', headers: Record<string, string> = {}): RequestListener =>
  (asked, response) =>
    void asked.resume().on('end', () => response.writeHead(status, headers).end(page))

const withTls = (options: TlsOptions = {}): TlsOptions => ({
  cert: readFileSync(ofNode.cert),
  key: readFileSync(ofNode.key),
  ...options,
})
const wanting = (): TlsOptions => ({ ca: readFileSync(ofGateway.cert), requestCert: true, rejectUnauthorized: true })
const trusting = () => ({ tls: { ca: ofNode.cert } })

interface Scene {
  readonly what: string
  readonly upstream: () => Promise<UpstreamConfig>
  readonly code: string
  readonly text: RegExp
  readonly remedy: RegExp
}

const https = async (options: TlsOptions, listener: RequestListener = answering(500)) =>
  portOf(createTlsServer(withTls(options), listener))

const scenes: readonly Scene[] = [
  ...(['TLSv1.2', 'TLSv1.3'] as const).flatMap((maxVersion) =>
    (['https', 'wss'] as const).map((scheme): Scene => ({
      what: `a node that wants a certificate by ${maxVersion}, over ${scheme}`,
      upstream: async () => ({
        url: `${scheme}://127.0.0.1:${await https({ ...wanting(), maxVersion })}/sk-secret`,
        ...trusting(),
      }),
      code: 'upstream_refused',
      text: /a certificate of the gateway \(mTLS/,
      remedy: /tls\.cert and tls\.key/,
    })),
  ),
  {
    what: 'a node that closes without a word, as it knows another certificate than it is shown',
    upstream: async () => ({
      url: `https://127.0.0.1:${await https(wanting())}`,
      tls: { cert: ofNode.cert, key: ofNode.key, ca: ofNode.cert },
    }),
    code: 'upstream_unreachable',
    text: /closes the connection without an answer/,
    remedy: /mTLS/,
  },
  {
    what: 'the page by which nginx asks for a certificate',
    upstream: async () => ({
      url: `http://127.0.0.1:${await portOf(createServer(answering(400, '<h1>No required SSL certificate was sent</h1>')))}`,
    }),
    code: 'upstream_refused',
    text: /mTLS; HTTP 400/,
    remedy: /tls\.cert and tls\.key/,
  },
  ...(['https', 'wss'] as const).map((scheme): Scene => ({
    what: `a certificate for another host name, over ${scheme}`,
    upstream: async () => ({ url: `${scheme}://localhost:${await https({})}`, ...trusting() }),
    code: 'upstream_untrusted',
    text: /for another host name/,
    remedy: /host name that its certificate names/,
  })),
  {
    what: 'a certificate of an authority that nobody knows',
    upstream: async () => ({ url: `https://127.0.0.1:${await https({})}` }),
    code: 'upstream_untrusted',
    text: /is not trusted/,
    remedy: /tls\.ca/,
  },
  {
    what: 'a server of HTTP/2 alone, with TLS',
    upstream: async () => ({
      url: `https://127.0.0.1:${await portOf(createSecureServer(withTls()) as unknown as Server)}`,
      ...trusting(),
    }),
    code: 'upstream_not_a_node',
    text: /HTTP\/2 alone/,
    remedy: /HTTP\/1\.1/,
  },
  {
    what: 'a server of HTTP/2 alone, without TLS',
    upstream: async () => ({ url: `http://127.0.0.1:${await portOf(createHttp2Server() as unknown as Server)}` }),
    code: 'upstream_not_a_node',
    text: /HTTP\/2 alone/,
    remedy: /HTTP\/1\.1/,
  },
  ...(['http', 'ws'] as const).map((scheme): Scene => ({
    what: `a port of TLS under a URL of ${scheme}`,
    upstream: async () => ({ url: `${scheme}://127.0.0.1:${await https({})}` }),
    code: 'upstream_unreachable',
    text: /it speaks TLS, and the URL has none/,
    remedy: /write https:/,
  })),
  {
    what: 'the page by which Go refuses what is not TLS',
    upstream: async () => ({
      url: `http://127.0.0.1:${await portOf(createServer(answering(400, 'Client sent an HTTP request to an HTTPS server.\n')))}`,
    }),
    code: 'upstream_unreachable',
    text: /it speaks TLS, and the URL has none \(HTTP 400\)/,
    remedy: /write https:/,
  },
  ...(['https', 'wss'] as const).map((scheme): Scene => ({
    what: `a port without TLS under a URL of ${scheme}`,
    upstream: async () => ({ url: `${scheme}://127.0.0.1:${await portOf(createServer(answering(200)))}` }),
    code: 'upstream_unreachable',
    text: /it speaks no TLS/,
    remedy: /write http:/,
  })),
  ...(
    [
      ['https://127.0.0.1/sk-secret', /redirects to https/, /write https:/],
      ['/sk-secret', /redirects to another path or port of its host \(HTTP 308\)/, /curl -sI/],
      ['https://sk-secret.example/', /redirects to another host/, /curl -sI/],
      ['http://[', /redirects to another host/, /curl -sI/],
    ] as const
  ).flatMap(([location, text, remedy]) =>
    (['http', 'ws'] as const).map((scheme): Scene => ({
      what: `a redirect to ${location}, over ${scheme}`,
      upstream: async () => ({
        url: `${scheme}://127.0.0.1:${await portOf(createServer(answering(308, '', { location })))}`,
      }),
      code: 'upstream_not_a_node',
      text,
      remedy,
    })),
  ),
  ...(['http', 'https', 'ws'] as const).flatMap((scheme): readonly Scene[] => [
    {
      what: `a proxy that refuses the password, before a node over ${scheme}`,
      upstream: async () => {
        const proxy = createServer(answering(407))
        proxy.on('connect', (_asked, socket: Socket) =>
          socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
        )
        return { url: `${scheme}://127.0.0.1:9`, proxy: `http://user:sk-secret@127.0.0.1:${await portOf(proxy)}` }
      },
      code: 'upstream_refused',
      text: /its proxy refuses the user or the password/,
      remedy: /HTTPS_PROXY/,
    },
    {
      what: `a proxy that is away, before a node over ${scheme}`,
      upstream: async () => {
        const server = createServer()
        const port = await portOf(server)
        server.close()
        return { url: `${scheme}://127.0.0.1:9`, proxy: `http://user:sk-secret@127.0.0.1:${port}` }
      },
      code: 'upstream_unreachable',
      text: /its proxy cannot be reached/,
      remedy: /start the proxy/,
    },
  ]),
]

async function examined(upstream: UpstreamConfig) {
  const network = { kind: 'evm', chainId: 7, upstreams: [upstream] } as NetworkConfig
  return checkNetwork('main', network).run(new AbortController().signal)
}

it.each(scenes)('doctor names $what, and says what to do', { timeout: 20_000 }, async (scene) => {
  const findings = await examined(await scene.upstream())
  const [found] = findings
  expect(found).toMatchObject({
    code: scene.code,
    text: expect.stringMatching(scene.text),
    remedy: expect.stringMatching(scene.remedy),
  })
  expect(JSON.stringify(findings)).not.toContain('sk-secret')
})

it(
  'doctor finds nothing wrong with a node that wants the certificate that it is shown',
  { timeout: 20_000 },
  async () => {
    const node = await serveTraits({ tls: ofNode })
    const findings = await examined({ ...node, tls: { ...ofGateway, ca: ofNode.cert } })
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
  },
)
