import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, realSurroundings, startGateway, type Surroundings } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { topics } from '../../src/shared-state/topics.ts'
import { askLiveCalls, reportLiveCalls } from '../../src/shared-state/relay-live-calls.ts'
import { createLiveCalls } from '../../src/trace/live-calls.ts'
import { createCallRecorder } from '../../src/trace/recorder.ts'
import type { WorkerProcess } from '../../src/shared-state/worker-line.ts'
import { channelPair } from '../workers/channel-pair.ts'
import { startWorkers } from '../workers/worker-gateways.ts'
import { frame, key, send, sleep, startNode, until } from '../support.ts'
import { files, token } from './support.ts'
import { bearer, follow } from './tail.ts'

async function folder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-live-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function networks() {
  const node = await startNode()
  onTestFinished(() => node.close())
  return { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } } as const
}

const callAt = (rpc: string) =>
  send(rpc, `/v3/${key}`, { body: frame('eth_gasPrice'), headers: { connection: 'close' } })

describe('the live tail of a gateway with workers', () => {
  it('tells the calls of each under its name, of those that come later, too, and of none that is gone', async () => {
    const config = { networks: await networks(), dataDir: await folder(), admin: { token } }
    const { primary, workers, join: startOne } = await startWorkers(config)
    const tail = await follow(primary.admin)
    for (const { gateway } of workers) await callAt(gateway.rpc)
    await until(() => tail.calls.length === 2)
    const names = () => tail.calls.map((call) => call.process.replace(/^.*\//, '')).toSorted()
    expect(names()).toEqual(['worker 1', 'worker 2'])
    const third = await startOne()
    await callAt(third.gateway.rpc)
    await until(() => tail.calls.length === 3)
    workers[0]!.leave()
    await callAt(workers[0]!.gateway.rpc)
    await callAt(workers[1]!.gateway.rpc)
    await until(() => tail.calls.length === 4)
    expect(names()).toEqual(['worker 1', 'worker 2', 'worker 2', 'worker 3'])
  })

  it('of real processes goes on when one is killed and another takes its place', async () => {
    const config = {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      dataDir: await folder(),
      cache: false,
      admin: { token },
      networks: await networks(),
      projects: [{ name: 'open', keys: [{ key }] }],
    } as const
    const started: WorkerProcess[] = []
    const surroundings: Surroundings = {
      ...realSurroundings,
      startWorker(onStalled) {
        const worker = realSurroundings.startWorker(onStalled)
        started.push(worker)
        return worker
      },
    }
    const gateway = await startGateway(config, {
      surroundings,
      log: createLog({ level: 'silent' }),
      console: { files },
      workers: { count: 2, logLevel: 'silent' },
    })
    onTestFinished(() => gateway.close(0))
    const tail = await follow(gateway.admin)
    const workers = () => new Set(tail.calls.map((call) => call.process))
    const callUntil = async (holds: () => boolean): Promise<void> => {
      for (let i = 0; i < 500 && !holds(); i++) {
        await callAt(gateway.rpc).catch(() => undefined)
        await sleep(2)
      }
      await until(holds)
    }
    await callUntil(() => workers().size === 2)
    const host = new RegExp(`:${process.pid}/worker [12]$`)
    for (const name of workers()) expect(name).toMatch(host)
    const processes = await send(gateway.admin, '/admin/v1/processes', { headers: bearer })
    expect(JSON.parse(processes.body).items).toMatchObject([{ workers: 2, startedAt: expect.any(Number) }])

    started[0]!.kill()
    tail.calls.length = 0
    await callUntil(() => workers().size === 2)
    expect(tail.hasEnded).toBe(false)
  })
})

describe('the line of the live tail between a worker and its primary', () => {
  function begin() {
    const clock = new FakeClock()
    const recorders = [createCallRecorder({ clock }), createCallRecorder({ clock })] as const
    const [primary, worker] = recorders.map((recorder) => createLiveCalls({ recorder, process: 'a:1', clock }))
    const pair = channelPair()
    const stop = askLiveCalls(primary!, pair.primary, 'a:1/worker 1')
    reportLiveCalls(worker!, pair.worker)
    const reported: unknown[] = []
    const sink = {
      send: (event: string, data: unknown) =>
        reported.push([event, event === 'calls' ? (data as unknown[]).length : data]) > 0,
      end: () => {},
    }
    const refuse = (count: number): void => {
      for (let at = 0; at < count; at++) recorders[1].refused({ id: `${at}`, at, status: 401, message: 'no' })
    }
    return { clock, pair, primary: primary!, refuse, sink, stop, reported }
  }
  const settled = (): Promise<void> => sleep(1)

  it('carries nothing while nobody reads, and a batch each 100 ms while somebody does', async () => {
    const { clock, primary, refuse, sink, reported } = begin()
    refuse(5)
    await settled()
    expect(clock.timers).toBe(0)
    const leave = primary.follow({ outcome: 'refused' }, sink)
    await settled()
    refuse(5)
    clock.advance(100)
    await settled()
    clock.advance(100)
    // Five that ended before he came, and five that did since.
    expect(reported).toEqual([['calls', 10]])
    leave()
    await settled()
    refuse(5)
    expect(clock.timers).toBe(0)
  })

  it('has the worker count what it cannot send while the primary does not answer', async () => {
    const { clock, pair, primary, refuse, sink, reported } = begin()
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    const batches: unknown[] = []
    primary.follow({}, sink)
    pair.primary.serve(topics.calls, (body) => {
      batches.push(body)
      return held
    })
    await settled()
    for (let i = 0; i < 50; i++) {
      refuse(300)
      clock.advance(100)
      await settled()
    }
    expect(batches.length).toBe(2)
    answer()
    await settled()
    clock.advance(100)
    await settled()
    expect(batches.at(-1)).toMatchObject({ event: 'dropped', data: { count: 50 * 300 - 200 - 100 } })
    expect(reported).toEqual([])
  })

  it('is not used any more for a worker that has ended', async () => {
    const { primary, sink, stop, pair } = begin()
    pair.close()
    stop()
    const leave = primary.follow({}, sink)
    expect(leave).not.toThrow()
  })
})
