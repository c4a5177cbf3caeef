import { Agent, type IncomingMessage, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { file, key, readyOf, runWayleave, serveNode, wayleave, within } from '../helpers.ts'

/** A connection of its own, which is kept. */
function connect(rpc: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  /** Resolves with the trace id of the call. */
  return (network: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const answered = (response: IncomingMessage): void => {
        response.resume().on('end', () => resolve(response.headers['x-trace-id'] as string))
      }
      request(`${rpc}/${network}/v3/${key}`, { agent, method: 'POST' }, answered)
        .on('error', reject)
        .end('{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}')
    })
}

it('shows the calls of two workers, each of which serves a network', { timeout: 60_000 }, async () => {
  const { url } = await serveNode(({ method }) => (method === 'eth_chainId' ? '0x7' : '0x1'))
  const network = { kind: 'evm', chainId: 7, followHeads: false, upstreams: [url] }
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    log: { level: 'info', access: { sample: 1 } },
    networks: { one: network, two: network },
    projects: [{ name: 'demo', keys: [{ key }] }],
  }
  const configFile = await file('wayleave.json', JSON.stringify(config))
  const gateway = wayleave(['serve', '--config', configFile, '--workers', '2', '--json'])
  const { rpc, admin } = await readyOf(gateway)

  /** Finds the worker that served a call in the access log. */
  async function workerOf(traceId: string): Promise<number> {
    let line: string | undefined
    await within(
      5_000,
      () =>
        (line = gateway
          .stderr()
          .split('\n')
          .find((each) => each.includes(traceId))) !== undefined,
    )
    return (JSON.parse(line!) as { worker: number }).worker
  }
  const callOf = new Map<number, (network: string) => Promise<string>>()
  while (callOf.size < 2) {
    const call = connect(rpc)
    callOf.set(await workerOf(await call('one')), call)
  }

  const top = runWayleave(['top', '--once', '--interval', '1', '--json', '--admin', admin])
  const done = new AbortController()
  const calling = [...callOf.values()].map(async (call, i) => {
    while (!done.signal.aborted) await call(i === 0 ? 'one' : 'two')
  })
  const { code, stdout } = await top
  done.abort()
  await Promise.all(calling)
  expect(code).toBe(0)
  const overview = JSON.parse(stdout) as { calls: number; networks: { name: string; calls: number }[] }
  expect(overview.networks.map(({ name }) => name)).toEqual(['one', 'two'])
  for (const { name, calls } of overview.networks) expect(calls, name).toBeGreaterThan(0)
  expect(overview.calls).toBeCloseTo(overview.networks.reduce((sum, { calls }) => sum + calls, 0))
})
