import { Writable } from 'node:stream'
import { checkConfig, type Config, createLog, type RunningGateway, type UpstreamConfig } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Answer,
  frame,
  key,
  refusedUrl,
  send,
  startNode,
  startTestGateway,
  type TestNode,
  reportedBy,
} from '../../support.ts'
import { openSocket } from '../../web-socket-client.ts'
import { forged, nodeOf, tx } from './support.ts'

const asked = frame('eth_getTransactionByHash', [tx.hash])
const reported = 'no upstream gave an answer that verifies'

async function nodes(...transactions: readonly (object | null)[]): Promise<TestNode[]> {
  const started = await Promise.all(transactions.map((transaction, i) => startNode(nodeOf(transaction, `node ${i}`))))
  onTestFinished(async () => void (await Promise.all(started.map((node) => node.close()))))
  return started
}

/** A gateway whose network `mainnet` has these upstreams, and what it logs. */
async function gatewayOver(
  upstreams: readonly (string | UpstreamConfig)[],
  verify: UpstreamConfig['verify'] = 'consistent',
): Promise<{
  gateway: RunningGateway
  ask: (body: string) => Promise<Answer>
  log: () => string
}> {
  let text = ''
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const networks: Config['networks'] = { mainnet: { kind: 'evm', chainId: 1, upstreams, verify: verify! } }
  const gateway = await startTestGateway([], checkConfig({ ...base, networks }), {
    log: createLog({ level: 'warn', destination }),
  })
  onTestFinished(() => gateway.close(0))
  return { gateway, ask: (body) => send(gateway.rpc, `/v3/${key}`, { body }), log: () => text }
}

const base = {
  listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
  defaultNetwork: 'mainnet',
  projects: [{ name: 'open', keys: [{ key }] }],
}

async function metricsOf({ admin }: RunningGateway): Promise<string[]> {
  const { body } = await send(admin, '/metrics')
  return body.split('\n').filter((line) => line.startsWith('wayleave_verifications_total'))
}

describe('an upstream whose answer is false', () => {
  it('is not believed: the next one is asked, and it alone from then on', async () => {
    const [liar, honest] = await nodes(forged, tx)
    const { gateway, ask, log } = await gatewayOver([{ url: liar!.url, name: 'liar' }, honest!.url])
    expect(JSON.parse((await ask(asked)).body)).toEqual({ jsonrpc: '2.0', id: 1, result: tx })
    expect(JSON.parse((await ask(frame('eth_blockNumber'))).body)).toMatchObject({ result: 'node 1' })
    expect(JSON.parse((await ask(asked)).body)).toMatchObject({ result: tx })
    expect(liar!.calls).toEqual(['eth_getTransactionByHash'])
    expect(await metricsOf(gateway)).toEqual([
      'wayleave_verifications_total{network="mainnet",endpoint="liar",method="eth_getTransactionByHash",outcome="refused"} 1',
      'wayleave_verifications_total{network="mainnet",endpoint="upstream-2",method="eth_getTransactionByHash",outcome="proven"} 2',
    ])
    const lines = log().trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[1]!)).toMatchObject({ endpoint: 'liar', exclusion: 'false_answers', before: 'up' })
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 40,
      network: 'mainnet',
      endpoint: 'liar',
      method: 'eth_getTransactionByHash',
      field: 'from',
      reason: expect.stringContaining(forged.from),
      msg: 'an answer does not verify',
    })
  })

  it('cannot make a line of the log long', async () => {
    const [liar] = await nodes({ ...tx, ['z'.repeat(50_000)]: 1, ['Z'.repeat(50_000)]: 2 })
    const { ask, log } = await gatewayOver([liar!.url])
    const answer = await ask(asked)
    expect([answer.status, reportedBy(answer)]).toEqual([
      502,
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: reported } },
    ])
    expect(log()).toContain('"field":"ZZZ')
    expect(log().length).toBeLessThan(2_000)
  })

  it('is told to the caller by the member alone where nobody else is left', async () => {
    const [one, other] = await nodes(forged, forged)
    const both = await gatewayOver([one!.url, other!.url])
    const refused = await both.ask(asked)
    expect(refused.status).toBe(503)
    expect(reportedBy(refused)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: `${reported}: from is false` },
    })
    const alone = await (await gatewayOver([one!.url])).ask(asked)
    expect([alone.status, alone.body.includes(`${reported}: from is false`)]).toEqual([502, true])
  })

  it('is what the caller is told of where the other one is down', async () => {
    const [liar] = await nodes(forged)
    const down = await refusedUrl()
    for (const upstreams of [
      [liar!.url, down],
      [down, liar!.url],
    ]) {
      const { status, body } = await (await gatewayOver(upstreams)).ask(asked)
      expect([status, body.includes(reported)]).toEqual([503, true])
    }
  })

  it('is found in a batch and over WebSocket, too', async () => {
    const [liar, honest] = await nodes(forged, tx)
    const { gateway, ask } = await gatewayOver([liar!.url, honest!.url])
    const batch = await ask(`[${asked},${frame('eth_blockNumber', [], 2)}]`)
    expect(JSON.parse(batch.body)).toMatchObject([{ id: 1, result: tx }, { id: 2 }])
    const [again] = await nodes(forged)
    const alone = await gatewayOver([again!.url])
    const failed = JSON.parse((await alone.ask(`[${asked}]`)).body) as object
    expect(failed).toMatchObject([{ error: { message: `${reported}: from is false` } }])
    for (const [at, expected] of [
      [gateway, { result: tx }],
      [alone.gateway, { error: { message: `${reported}: from is false` } }],
    ] as const) {
      const socket = await openSocket(`${at.ws}/ws/v3/${key}`)
      socket.send(asked)
      expect(await socket.next()).toMatchObject(expected)
      socket.close()
    }
  })
})

describe('verification', () => {
  it('is that of the upstream where it says so, else that of the network, else none', async () => {
    const [liar] = await nodes(forged)
    const url = liar!.url
    const { ask } = await gatewayOver([{ url, verify: 'off' }])
    expect(JSON.parse((await ask(asked)).body)).toMatchObject({ result: forged })
    const strict = await gatewayOver([{ url, verify: 'proven' }], 'off')
    expect((await strict.ask(asked)).status).toBe(502)
    const usual = await gatewayOver([url], 'off')
    expect(JSON.parse((await usual.ask(asked)).body)).toMatchObject({ result: forged })
    expect(await metricsOf(usual.gateway)).toEqual([])
  })

  it('proves by the hash in the question with one upstream, and lets null and errors pass', async () => {
    const [honest, empty] = await nodes(tx, null)
    const { gateway, ask } = await gatewayOver([honest!.url], 'proven')
    expect(JSON.parse((await ask(asked)).body)).toMatchObject({ result: tx })
    expect((await metricsOf(gateway)).join()).toContain('outcome="proven"} 1')
    const none = await gatewayOver([empty!.url], 'proven')
    expect(JSON.parse((await none.ask(asked)).body)).toMatchObject({ result: null })
    expect((await metricsOf(none.gateway)).join()).toContain('outcome="unverifiable"} 1')
  })
})

describe('what an answer says of itself', () => {
  const inline = '?x-wayleave-marks=inline'
  const verified = (answer: unknown): unknown => (answer as { wayleave?: { verified?: string } }).wayleave?.verified

  it('stands in a header, in each element of a batch, in a frame and in explain, and a page may read it', async () => {
    const [one, other] = await nodes(tx, tx)
    const { gateway, ask } = await gatewayOver([one!.url, other!.url])
    const headers = { origin: 'https://page.example' }
    const single = await send(gateway.rpc, `/v3/${key}`, { body: asked, headers })
    expect(single.headers['x-wayleave-verified']).toBe('consistent')
    expect(single.headers['access-control-expose-headers']).toContain('X-Wayleave-Verified')
    expect((await ask(frame('eth_gasPrice'))).headers['x-wayleave-verified']).toBe('unchecked')
    const explained = await send(gateway.admin, `/explain/${single.headers['x-trace-id'] as string}`)
    expect(JSON.parse(explained.body)).toMatchObject({ calls: [{ verification: 'consistent' }] })

    const batch = `[${asked},${frame('eth_gasPrice', [], 2)}]`
    const { body } = await send(gateway.rpc, `/v3/${key}${inline}`, { body: batch })
    expect((JSON.parse(body) as readonly unknown[]).map(verified)).toEqual(['consistent', 'unchecked'])
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}${inline}`)
    socket.send(asked)
    expect(verified(await socket.next())).toBe('consistent')
    socket.send(frame('eth_gasPrice', [], 2))
    expect(verified(await socket.next())).toBe('unchecked')
    socket.close()
  })

  it('is not that it is proven where one upstream is all there is, under two names too', async () => {
    const [honest] = await nodes(tx)
    const { url } = honest!
    for (const upstreams of [[url], [url, { url: `${url}/`, name: 'again' }]]) {
      const { ask } = await gatewayOver(upstreams, 'proven')
      expect((await ask(asked)).headers['x-wayleave-verified']).toBe('consistent')
    }
  })

  it('stays with the answer in the cache', async () => {
    const [one, other] = await nodes(tx, tx)
    const { ask } = await gatewayOver([one!.url, other!.url])
    const marks = []
    for (let i = 0; i < 3; i++) marks.push((await ask(asked)).headers['x-wayleave-verified'])
    expect(marks).toEqual(['consistent', 'consistent', 'consistent'])
  })

  it('is nothing on a network that verifies nothing, and on one where an upstream is not verified that nothing was found out', async () => {
    const [one, other] = await nodes(tx, tx)
    const none = await gatewayOver([one!.url, other!.url], 'off')
    expect((await none.ask(asked)).headers).not.toHaveProperty('x-wayleave-verified')
    const mixed = await gatewayOver([{ url: one!.url, verify: 'off' }, other!.url])
    expect((await mixed.ask(asked)).headers['x-wayleave-verified']).toBe('unchecked')
  })
})
