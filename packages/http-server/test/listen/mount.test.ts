import { Agent, createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpMount, type HttpMount } from '@wayleave/http-server'
import { describe, expect, it, onTestFinished } from 'vitest'

/** A mount whose answers are ended by the test, behind a server of another program. */
async function mounted(): Promise<{
  readonly mount: HttpMount
  readonly url: string
  readonly answers: ServerResponse[]
  readonly arrived: (count: number) => Promise<void>
}> {
  const answers: ServerResponse[] = []
  let onArrival = (): void => {}
  const mount = createHttpMount({
    onRequest(_request, response) {
      answers.push(response)
      onArrival()
    },
  })
  const server = createServer(mount.serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onArrival = () => void (answers.length >= count && resolve())
      onArrival()
    })
  return { mount, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers, arrived }
}

const post = (url: string): Promise<Response> => fetch(url, { method: 'POST', body: 'hello' })

describe('a mount', () => {
  it('listens nowhere', async () => {
    const { mount } = await mounted()
    expect(await mount.listen()).toBe('mounted')
    expect(mount.server.listening).toBe(false)
  })

  it('closes once the answers under way are sent, and refuses what comes meanwhile', async () => {
    const { mount, url, answers, arrived } = await mounted()
    const [first, second] = [post(url), post(url)]
    await arrived(2)
    let isClosed = false
    const closed = mount.close().then(() => (isClosed = true))
    const refused = await post(url)
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ])
    answers[0]!.end('one')
    expect(await (await first).text()).toBe('one')
    expect(isClosed).toBe(false)
    answers[1]!.end('two')
    await closed
    expect(await (await second).text()).toBe('two')
    await mount.close()
  })

  it('closes at once where no answer is under way, and when the last caller has left', async () => {
    const idle = await mounted()
    await idle.mount.close()
    const { mount, url, arrived } = await mounted()
    const leaving = openRequest(url, { method: 'POST' }).on('error', () => {})
    leaving.end('hello')
    await arrived(1)
    const closed = mount.close()
    leaving.destroy()
    await closed
  })

  it('ends connections with their answers once it is released', async () => {
    const { mount, url, answers, arrived } = await mounted()
    mount.release()
    const asked = post(url)
    await arrived(1)
    answers[0]!.end('last')
    expect((await asked).headers.get('connection')).toBe('close')
  })

  it('has the connections of its server write at the end of a turn, once each', async () => {
    const turns: (() => void)[] = []
    const mount = createHttpMount({
      onRequest: (_request, response) => void response.end('answer'),
      nextTurn: (run) => void turns.push(run),
    })
    const server = createServer(mount.serve)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const { port } = server.address() as AddressInfo
    for (let i = 0; i < 3; i++) {
      const answered = new Promise<IncomingMessage>((resolve) =>
        openRequest({ port, host: '127.0.0.1', agent }, resolve).end(),
      )
      await expect.poll(() => turns.length).toBe(1)
      turns.pop()!()
      expect((await (await answered).toArray()).join('')).toBe('answer')
      await new Promise((resolve) => setTimeout(resolve))
    }
  })

  it('cuts the answers under way, and nothing else of the server', async () => {
    const { mount, url, arrived } = await mounted()
    const asked = post(url)
    await arrived(1)
    mount.terminate()
    await expect(asked).rejects.toThrow('fetch failed')
  })

  it('says what to do where the body was read before', async () => {
    const mount = createHttpMount({ onRequest: (_request, response) => void response.end('served') })
    const server = createServer((request, response) => {
      request.resume().on('end', () => mount.serve(request, response))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = await post(url)
    expect(answer.status).toBe(500)
    expect(await answer.text()).toContain('in front of all parsers of bodies')
    expect(await (await fetch(url)).text()).toBe('served')
  })
})
