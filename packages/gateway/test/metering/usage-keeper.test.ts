import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { keepUsage } from '../../src/metering/usage-keeper.ts'

const dayMs = 86_400_000

it('a spool that comes back after its minutes were removed is not counted twice, while its days are kept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-usage-keeper-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const stores = await openStores({ sqlite: join(folder, 'wayleave.sqlite') })
  onTestFinished(() => stores.close())
  const clock = new FakeClock()
  const row = { project: 'p', key: 'k', network: 'mainnet', method: 'eth_call', status: '2xx', calls: 7, credits: 560 }
  const rows = [{ ...row, minute: Math.floor(clock.date() / 60_000) }] as const
  const callsBy = async (period: 'minute' | 'day'): Promise<number> => {
    const [sum] = await stores.usage.query({ period, from: 0, to: 2 ** 50, by: [], limit: 1 })
    return sum!.calls
  }
  await stores.usage.add('a process of before', 0, rows)
  clock.advance(10 * dayMs)
  const pruned = Promise.withResolvers<void>()
  const keeper = await keepUsage({
    store: {
      add: stores.usage.add,
      prune: (before) => stores.usage.prune(before).finally(pruned.resolve),
    },
    path: undefined,
    keepDays: { minutes: 2, hours: 4, days: 30 },
    process: 'this process',
    clock,
    log: createLog({ level: 'silent' }),
  })
  onTestFinished(() => keeper.close())
  clock.advance(60_000)
  await pruned.promise
  expect([await callsBy('minute'), await callsBy('day')]).toEqual([0, 7])
  await stores.usage.add('a process of before', 0, rows)
  expect([await callsBy('minute'), await callsBy('day')]).toEqual([0, 7])
})
