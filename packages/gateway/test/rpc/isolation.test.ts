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
    expect(await ask({ host: 'localhost:8545', origin: 'http://localhost:3000' })).toBe(200)
    expect(await ask({ host: '127.0.0.1:8545' })).toBe(200)
    expect(await ask({ host: '127.0.0.1:8545', origin: 'https://evil.example', 'content-type': 'text/plain' })).toBe(
      403,
    )
    expect(await ask({ host: 'dev.evil.example:8545' })).toBe(403)
    expect(node.calls).toHaveLength(2)
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
