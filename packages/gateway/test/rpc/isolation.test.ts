import { createLog } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  frame,
  key,
  post,
  rawConnection,
  send,
  sleep,
  startNode,
  startNodeWith,
  startTestGateway,
  until,
} from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const path = `/v3/${key}`

async function gatewayBefore(...[upstreams, config, options]: Parameters<typeof startTestGateway>) {
  const gateway = await startTestGateway(upstreams, config, options)
  onTestFinished(() => gateway.close(0))
  return gateway
}

describe('a gateway that serves this machine only', () => {
  it('answers its pages and programs, and nobody else', async () => {
    const node = await startNode()
    onTestFinished(() => node.close())
    const gateway = await gatewayBefore([node.url], { onlyLocal: true })
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await send(gateway.rpc, path, { body: frame('eth_chainId'), headers })).status
    const own: readonly (readonly [host: string, origin?: string])[] = [
      ['127.0.0.1:8545'],
      ['localhost:8545', 'http://localhost:3000'],
      ['mainnet.localhost:8545', 'http://127.0.0.1:5173'],
      ['[::1]:8545', 'https://app.localhost'],
    ]
    const foreign: typeof own = [
      ['127.0.0.1:8545', 'https://evil.example'],
      ['127.0.0.1:8545', 'null'],
      ['127.0.0.1:8545', 'https://localhost.evil.example'],
      ['dev.evil.example:8545'],
      ['127.0.0.1.evil.example'],
      ['evil.example#.localhost'],
      ['evil@localhost'],
      ['localhost/evil.example'],
      ['localhost', 'http://evil@localhost'],
    ]
    for (const [host, origin] of own)
      expect([host, origin, await ask({ host, ...(origin && { origin }) })]).toEqual([host, origin, 200])
    for (const [host, origin] of foreign) {
      const headers = { host, ...(origin !== undefined && { origin, 'content-type': 'text/plain' }) }
      expect([host, origin, await ask(headers)]).toEqual([host, origin, 403])
    }
    const nowhere = rawConnection(gateway.rpc)
    onTestFinished(() => void nowhere.socket.destroy())
    nowhere.send(`POST ${path} HTTP/1.1\r\nHost:\r\nContent-Length: 2\r\n\r\n{}`)
    await nowhere.saw(/^HTTP\/1\.1 403 /)
    expect(node.calls).toHaveLength(own.length)
    await expect(openSocket(`${gateway.ws}/ws${path}`, { origin: 'https://evil.example' })).rejects.toThrow(/403/)
  })
})

describe('one caller', () => {
  it('who sends many calls over one connection at once is told so, and costs others nothing', async () => {
    const waiting: (() => void)[] = []
    const node = await startNodeWith((request, response) => {
      request.resume()
      waiting.push(() => response.end('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"late"}}'))
    })
    onTestFinished(() => node.close())
    const gateway = await gatewayBefore([node.url], { limits: { maxInFlight: 5 } })
    const greedy = rawConnection(gateway.rpc)
    for (let id = 1; id <= 8; id++) greedy.send(post(path, frame('a', [id], id), ['Host: 127.0.0.1']))
    await until(() => waiting.length === 5)
    await sleep(50)
    expect(waiting).toHaveLength(5)
    for (const answer of waiting) answer()
    const text = await greedy.saw(/(503 Service Unavailable[\s\S]*){3}/)
    expect(text).toContain('at most 5 calls of a connection are answered at once')
    greedy.socket.destroy()
  })
})

it('an answer that breaks off is logged under the trace id that its caller was given', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
  let breakOff = (): void => {}
  const node = await startNodeWith((_request, response) => {
    response.write(`{"jsonrpc":"2.0","id":1,"result":["${'a'.repeat(1_000_000)}"`)
    breakOff = () => response.destroy()
  })
  onTestFinished(() => node.close())
  const gateway = await gatewayBefore([node.url], {}, { log })
  const connection = rawConnection(gateway.rpc)
  connection.send(post(path, frame('eth_getLogs', [{}])))
  await connection.saw(/200 OK/)
  breakOff()
  expect(await connection.whole()).not.toMatch(/\r\n0\r\n\r\n$/)
  const traced = (): string | undefined => lines.find((line) => line.includes('"traceId"'))
  await until(() => traced() !== undefined)
  expect(JSON.parse(traced()!)).toMatchObject({ network: 'mainnet', code: 'disconnected' })
})
