import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createCordons,
  createMemoryPort,
  createSharedSpend,
  type SharedNumbers,
  type SharedPort,
} from '@wayleave/stores/shared-state'
import { expect, it } from 'vitest'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('units that are spent while an exchange is under way are reported with the next one', async () => {
  const clock = new FakeClock()
  let total = 0
  let asked = 0
  let answered = 0
  const port: SharedPort = {
    ...createMemoryPort(clock),
    every: undefined,
    add: (_name, counts) =>
      new Promise((resolve) => {
        asked++
        clock.after(5, () => {
          answered++
          total += counts[0]!.mine - counts[0]!.said
          resolve({ processes: 2, totals: counts.map(() => ({ total, epoch: 'e' })) })
        })
      }),
  }
  const spend = createSharedSpend(port, 'plan', clock)
  async function pass(ms: number): Promise<void> {
    for (let i = 0; i < ms; i++) {
      clock.advance(1)
      await turn()
    }
  }
  spend.add(1, clock.date())
  await pass(500)
  spend.add(10, clock.date())
  const isUnderWay = (): boolean => asked > answered
  for (let i = 0; i < 500 && !isUnderWay(); i++) await pass(1)
  expect(isUnderWay()).toBe(true)
  spend.add(100, clock.date())
  await pass(2_000)
  expect(total).toBe(111)
})

it('a cordon is lifted though the word of a process whose clock is ahead comes only then', async () => {
  const clock = new FakeClock()
  const port = createMemoryPort(clock)
  let isOnItsWay = true
  const late: SharedPort = {
    ...port,
    numbers(name, options) {
      const numbers: SharedNumbers = port.numbers(name, options)
      return {
        ...numbers,
        async settled() {
          if (isOnItsWay) numbers.max('["n","a"]', clock.date() + 300_000, '=elsewhere', clock.now(), 1_000_000)
          isOnItsWay = false
          return true
        },
      }
    },
  }
  const cordons = createCordons(late, clock)
  expect(await cordons.uncordon('n', 'a')).toBe(true)
  expect(cordons.isCordoned('n', 'a')).toBe(false)
})
