import { createMemoryPinLedger, type IpfsBackend } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { startCollector } from '../../src/ipfs/collector.ts'
import { createLog } from '../../src/ops/log.ts'

const hour = 3_600_000

function start(everyMs: number): {
  readonly waits: { readonly ms: number; readonly run: () => void }[]
  readonly runs: PromiseWithResolvers<{ removed: number; bytes: bigint }>[]
  readonly logged: string[]
  readonly stop: () => Promise<void>
} {
  const waits: { readonly ms: number; readonly run: () => void }[] = []
  const runs: PromiseWithResolvers<{ removed: number; bytes: bigint }>[] = []
  const logged: string[] = []
  const clock: Clock = {
    now: () => 0,
    date: () => 0,
    after(ms, run) {
      const wait = { ms, run }
      waits.push(wait)
      return () => void waits.splice(waits.indexOf(wait), 1)
    },
  }
  const backend = {
    collect() {
      const run = Promise.withResolvers<{ removed: number; bytes: bigint }>()
      runs.push(run)
      return run.promise
    },
  } as Partial<IpfsBackend> as IpfsBackend
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  const stop = startCollector({ backend, ledger: createMemoryPinLedger(), everyMs, clock, log })
  return { waits, runs, logged, stop }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('collects ten minutes after the start, and then at its pace after the end of each run, also of one that fails', async () => {
  const { waits, runs, logged, stop } = start(hour)
  expect(waits.map(({ ms }) => ms)).toEqual([600_000])
  waits.shift()!.run()
  expect(waits).toEqual([])
  runs[0]!.reject(new Error('a block is broken'))
  await settled()
  expect(waits.map(({ ms }) => ms)).toEqual([hour])
  waits.shift()!.run()
  runs[1]!.resolve({ removed: 2, bytes: 10n })
  await settled()
  expect(waits.map(({ ms }) => ms)).toEqual([hour])
  expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'content that no project pins could not be removed',
    'removed content that no project pins',
  ])
  await stop()
  expect(waits).toEqual([])
})

it('collects at its pace from the start where that is faster', async () => {
  const { waits, stop } = start(20)
  expect(waits.map(({ ms }) => ms)).toEqual([20])
  await stop()
})

it('ends when the run at hand has ended, and begins no other', async () => {
  const { waits, runs, logged, stop } = start(hour)
  waits.shift()!.run()
  let isStopped = false
  const stopping = stop().then(() => (isStopped = true))
  await settled()
  expect(isStopped).toBe(false)
  runs[0]!.reject(new Error('aborted'))
  await stopping
  expect([waits, logged]).toEqual([[], []])
})
