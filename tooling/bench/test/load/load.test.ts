import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { blockCall, printAnswerHead, smallCall } from '../../src/calls.ts'
import { systemClock } from '../../src/defaults.ts'
import { createIds, Load } from '../../src/load/load.ts'

const servers: Server[] = []

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

/** A server that answers `status` and what `print` makes of the call's id. */
function answering(print: (id: number) => string, status = 200): RequestListener {
  return (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => response.writeHead(status).end(print((JSON.parse(body) as { id: number }).id)))
  }
}

const right = (id: number): string => printAnswerHead(id) + smallCall.tail.toString()

function open(port: number, connections = 4): Promise<Load> {
  const target = { port, path: '/', webSocketPath: '/' }
  return Load.open({ subject: 'test', target, kind: smallCall, connections, clock: systemClock, nextId: createIds() })
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

describe('Load', () => {
  it('counts each answered call of a closed loop once', async () => {
    let served = 0
    const port = await serve(
      answering((id) => {
        served++
        return right(id)
      }),
    )
    await using load = await open(port)
    const { calls, elapsedMs } = await load.closedLoop(100)
    expect(calls).toBe(served)
    expect(calls).toBeGreaterThan(0)
    expect(elapsedMs).toBeGreaterThanOrEqual(100)
  })

  it.each([
    ['another id', answering((id) => right(id + 1)), 'another answer'],
    ['another result of the same length', answering((id) => right(id).replace('de0b6', 'de0b7')), 'another answer'],
    ['a longer answer', answering((id) => `${right(id)} `), 'a longer one'],
    ['a shorter answer', answering((id) => right(id).slice(0, -1)), 'bytes was expected'],
    [
      'the result of another call',
      answering((id) => printAnswerHead(id) + blockCall.tail.toString()),
      'another answer',
    ],
    ['another status', answering(right, 500), '500 came'],
    ['a closed connection', ((request) => request.socket.destroy()) satisfies RequestListener, 'closed'],
  ])('fails on %s', async (_, listener, message) => {
    await using load = await open(await serve(listener))
    await expect(load.closedLoop(5_000)).rejects.toMatchObject({
      code: 'wrong_answer',
      message: expect.stringContaining(message) as string,
    })
  })

  it('says which subject refuses connections', async () => {
    const port = await serve(() => {})
    servers.pop()!.close()
    await expect(open(port)).rejects.toMatchObject({
      code: 'subject',
      message: expect.stringContaining('test') as string,
    })
  })

  it('counts latency from when a call was due, so that one stall shows in every call behind it', async () => {
    let calls = 0
    const port = await serve((request, response) => {
      const answer = (): void => answering(right)(request, response)
      if (++calls === 20) setTimeout(answer, 300)
      else answer()
    })
    await using load = await open(port, 1)
    const { latencies } = await load.fixedRate(100, 600)
    expect(latencies).toHaveLength(60)
    expect(latencies.filter((ms) => ms > 100).length).toBeGreaterThanOrEqual(15)
  })
})
