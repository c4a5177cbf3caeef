import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { CertificateFiles } from './certificates.ts'

/** The traits of a node, each by default that of a good one. */
export interface NodeTraits {
  readonly chain?: string
  readonly height?: number
  /** The age of its newest block, in ms. */
  readonly ageMs?: number
  readonly isSyncing?: boolean
  readonly hasArchive?: boolean
  /** How far its clock is ahead, in ms. */
  readonly aheadMs?: number
  /** Answers everything with this HTTP status, and a page. */
  readonly status?: number
  /** Takes requests, and answers none. */
  readonly isSilent?: boolean
  readonly tls?: CertificateFiles
}

/** Serves a node over HTTP and WebSocket on a free port, which goes with the test. */
export async function serveTraits(traits: NodeTraits = {}): Promise<{ readonly url: string; readonly ws: string }> {
  const { status, isSilent = false, aheadMs = 0, tls } = traits
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const asked = (await json(request)) as Question
      if (isSilent) return
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      if (status !== undefined)
        return void response
          .writeHead(status)
          .end(status === 429 ? limited : '<html>the words of a node: sk-secret</html>')
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answerOf(asked, traits)))
    })()
  }
  const server =
    tls === undefined
      ? createServer(listener)
      : createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, listener)
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => socket.send(JSON.stringify(answerOf(JSON.parse(String(data)) as Question, traits))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  const s = tls === undefined ? '' : 's'
  const { port } = server.address() as AddressInfo
  return { url: `http${s}://127.0.0.1:${port}/path-sk-secret`, ws: `ws${s}://127.0.0.1:${port}/path-sk-secret` }
}

/** A limit as providers tell it: in the status, and as an error of JSON-RPC. */
const limited = '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"sk-secret has spent its plan"}}'

interface Question {
  readonly id: number
  readonly method: string
}

function answerOf({ id, method }: Question, traits: NodeTraits): object {
  const { chain = '0x7', height = 1_000, ageMs = 1_000, isSyncing = false, hasArchive = true } = traits
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: chain,
    eth_getBlockByNumber: {
      number: `0x${height.toString(16)}`,
      timestamp: `0x${Math.floor((Date.now() - ageMs) / 1_000).toString(16)}`,
    },
    eth_syncing: isSyncing && { currentBlock: '0x1', highestBlock: '0x2' },
    ...(hasArchive && { eth_getBalance: '0x0' }),
  }
  const error = { code: -32_000, message: 'missing trie node sk-secret' }
  return { jsonrpc: '2.0', id, ...(Object.hasOwn(results, method) ? { result: results[method] } : { error }) }
}
