// Two simulated nodes in a process of their own: each block below their head has logs of 10 kB.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerTo, head } from './chain.ts'

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Time from a question to its answer, in ms. */
const delayMs = 5

async function start(): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Call
      setTimeout(() => {
        if (method === 'eth_getLogs') process.send!('asked')
        const parts = answerTo(method, params)
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`)
        const write = (): void => {
          for (let { done, value } = parts.next(); done !== true; { done, value } = parts.next()) {
            if (!response.write(value)) return void response.once('drain', write)
          }
          response.end('}')
        }
        write()
      }, delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const servers = [await start(), await start()]
process.send!({ head, urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`) })
process.on('disconnect', () => process.exit())
