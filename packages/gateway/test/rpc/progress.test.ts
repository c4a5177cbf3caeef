import { createLog } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { frame, key, rawConnection, send, sleep, startNodeWith, startTestGateway, until } from '../support.ts'

const part = `"${'x'.repeat(100_000)}"`
const limits = { requestTimeoutMs: 400 }

it('a long answer that makes progress may take longer than a call', async () => {
  const node = await startNodeWith(async (request, response) => {
    request.resume()
    response.write(`{"jsonrpc":"2.0","id":1,"result":[${part},${part},${part}`)
    for (let i = 0; i < 10; i++) {
      await sleep(220)
      response.write(`,${part}`)
    }
    response.end(']}')
  })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([node.url], { limits: { requestTimeoutMs: 1_500 } })
  onTestFinished(() => gateway.close(0))
  const { status, body } = await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_getLogs', [{}]) })
  expect([status, (JSON.parse(body) as { result: string[] }).result.length]).toEqual([200, 13])
})

it('one that stops is cut, also at the node, and both are told', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } })
  const node = await startNodeWith((request, response) => {
    request.resume()
    response.write(`{"jsonrpc":"2.0","id":1,"result":[${part},${part},${part}`)
  })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([node.url], { limits }, { log })
  onTestFinished(() => gateway.close(0))
  await expect(send(gateway.rpc, `/v3/${key}`, { body: frame('eth_getLogs', [{}]) })).rejects.toThrow(/aborted|hang up/)
  await until(() => node.cut === 1)
  await until(() => lines.some((line) => line.includes('"traceId"') && line.includes('"code":"timeout"')))
  const { body } = await send(gateway.admin, '/metrics')
  expect(body).toContain('wayleave_rejected_calls_total{network="mainnet",code="timeout"} 1\n')
})

it('a caller who takes nothing of it is cut', async () => {
  const node = await startNodeWith((request, response) => {
    request.resume()
    response.write('{"jsonrpc":"2.0","id":1,"result":[1')
    const more = (): void => {
      while (!response.destroyed && response.write(`,${part}`));
    }
    response.on('drain', more)
    more()
  })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([node.url], { limits })
  onTestFinished(() => gateway.close(0))
  const connection = rawConnection(gateway.rpc)
  connection.socket.pause()
  const body = frame('eth_getLogs', [{}])
  connection.send(`POST /v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await until(() => node.cut === 1)
  connection.socket.destroy()
})
