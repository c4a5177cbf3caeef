import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cutParts } from '@wayleave/jsonrpc-core'
import { WebSocketServer } from 'ws'

/** A call as a node received it: texts, nothing parsed. */
export interface RawCall {
  readonly method: string
  readonly params: string | undefined
}

/** A node that answers with texts, over HTTP and WebSocket, and keeps what it received. */
export interface RawNode extends AsyncDisposable {
  readonly httpUrl: string
  readonly wsUrl: string
  /** All calls, in the order in which they came. */
  readonly received: RawCall[]
}

const callForm = /^\{"jsonrpc":"2\.0","id":(\d+),"method":"(\w+)"(?:,"params":(.*))?\}$/s

/** Over HTTP, pieces of this many bytes: an odd number, so that they end within escapes and characters. */
const pieceBytes = 4093

/** `outcomeOf` gives what follows the id in the answer: `"result":…` or `"error":…`. */
export async function startRawNode(outcomeOf: (call: RawCall) => string): Promise<RawNode> {
  const received: RawCall[] = []
  const connections = new Set<Socket>()

  function answer(text: string): string {
    if (!text.startsWith('[')) return answerOne(text)
    const answers: string[] = []
    cutParts(text, 0, (start, end) => void answers.push(answerOne(text.slice(start, end))))
    return `[${answers.join(',')}]`
  }

  function answerOne(text: string): string {
    const [, id, method, params] = callForm.exec(text) ?? []
    if (method === undefined) throw new Error(`no call as the gateway prints them: ${text.slice(0, 200)}`)
    const call = { method, params }
    received.push(call)
    return `{"jsonrpc":"2.0","id":${id},${outcomeOf(call)}}`
  }

  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      void writeInPieces(response, Buffer.from(answer(body)))
    })
  })
  const webSockets = new WebSocketServer({ server })
  webSockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => socket.send(answer(data.toString())))
  })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    httpUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function writeInPieces(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    response.write(bytes.subarray(at, at + pieceBytes))
    await nextTurn()
  }
  response.end()
}
