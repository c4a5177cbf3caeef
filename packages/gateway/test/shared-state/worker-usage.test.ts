import { createLog } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { workerUsage } from '../../src/shared-state/worker-usage.ts'

it('a worker counts the calls whose usage its primary did not take, and hands over what comes after them', async () => {
  let isGone = true
  let taken = 0
  const keeper = workerUsage(
    {
      async ask(_topic, rows) {
        if (isGone) throw new Error('the primary is gone')
        for (const { calls } of rows as readonly { readonly calls: number }[]) taken += calls
      },
    },
    { clock: new FakeClock(), log: createLog({ level: 'silent' }) },
  )
  const recorder = keeper.usage.recorder({ project: 'p', key: 'k', network: 'mainnet' }, { has: () => true })
  for (const method of ['eth_call', 'eth_call', 'eth_gasPrice']) recorder.count(method, 200, 80)
  await keeper.usage.flush()
  expect([keeper.droppedCalls, keeper.waitingRows, taken]).toEqual([3, 0, 0])
  isGone = false
  recorder.count('eth_call', 200, 80)
  await keeper.usage.flush()
  expect([keeper.droppedCalls, keeper.waitingRows, taken]).toEqual([3, 0, 1])
  await keeper.close()
})
