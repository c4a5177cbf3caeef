import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisServer, sendTo } from './redis.ts'

/** A way in which Redis fails, for as long as `work` takes. */
export interface Fault {
  readonly name: string
  during(redis: RedisServer, work: Promise<unknown>): Promise<void>
}

/** Repeats a step until the work is over. */
async function whileWorking(work: Promise<unknown>, step: () => Promise<unknown>): Promise<void> {
  const state = { isOver: false }
  const over = work.finally(() => void (state.isOver = true))
  while (!state.isOver) await step()
  await over
}

const settings = async (redis: RedisServer, maxmemory: string, policy: string): Promise<void> =>
  void (await sendTo(redis.url, [
    ['CONFIG', 'SET', 'maxmemory', maxmemory],
    ['CONFIG', 'SET', 'maxmemory-policy', policy],
  ]))

/** All of them; the first one is none. */
export const faults: readonly Fault[] = [
  {
    name: 'well',
    async during(_, work) {
      await work
    },
  },
  {
    name: 'killed and started again',
    during: (redis, work) =>
      whileWorking(work, async () => {
        await redis.restart(() => sleep(700))
        await sleep(700)
      }),
  },
  {
    name: 'stopped (SIGSTOP) and continued',
    during: (redis, work) =>
      whileWorking(work, async () => {
        await redis.freeze(() => sleep(700))
        await sleep(700)
      }),
  },
  {
    name: 'stopped for all the time',
    during: (redis, work) => redis.freeze(async () => void (await work)),
  },
  {
    name: 'slow: silent for 30 of 40 ms',
    during: (redis, work) =>
      whileWorking(work, async () => {
        await sendTo(redis.url, [['CLIENT', 'PAUSE', '30', 'ALL']])
        await sleep(10)
      }),
  },
  {
    name: 'full, refuses writes',
    async during(redis, work) {
      await settings(redis, '1', 'noeviction')
      await work
      await settings(redis, '0', 'noeviction')
    },
  },
  {
    name: 'full, evicts',
    async during(redis, work) {
      await settings(redis, '3mb', 'allkeys-lfu')
      await work
      await settings(redis, '0', 'noeviction')
    },
  },
  {
    name: 'emptied again and again',
    during: (redis, work) =>
      whileWorking(work, async () => {
        await sendTo(redis.url, [['FLUSHALL']])
        await sleep(100)
      }),
  },
  {
    name: 'every value spoilt again and again',
    during: (redis, work) =>
      whileWorking(work, async () => {
        await sendTo(redis.url, [['EVAL', spoil, '0']])
        await sleep(100)
      }),
  },
]

/** Makes values foreign, damaged, or of another kind. */
const spoil = `
for i, key in ipairs(redis.call('KEYS', '*')) do
  if i % 3 == 0 then redis.call('SET', key, 'spoilt')
  elseif i % 3 == 1 and redis.call('TYPE', key).ok == 'string' then redis.call('SETRANGE', key, 40, '!')
  else redis.call('DEL', key) redis.call('RPUSH', key, 'spoilt') end
end
return 1`
