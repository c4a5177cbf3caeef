import type { Clock } from '../clock.ts'
import { isoTimeOf, newId } from '../defaults.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** A plan's day, or month, UTC. */
export type SpendPeriod = 'day' | 'month'

/**
 * The units of a provider's plan that several processes spend. Answers from a copy in this process, and exchanges it with Redis ten times a
 * second: a limit may be passed by half of what is spent in between. While Redis is gone the last share holds. Fits `SpendLedger` of `upstream`.
 */
export interface SharedSpend {
  /** Counts units that were sent at `date`, in ms since the epoch. */
  add(units: number, date: number): void
  /**
   * This process' part of the plan: 1 divided by the processes that were heard of in the last 5 s, and while Redis is gone by the least number
   * of them if that is more; 0 before Redis' first answer, if it is there.
   */
  share(): number
  /** Units of a limit that this process may still spend in the period of `date`: its share of what all have left. */
  left(period: SpendPeriod, limit: number, date: number): number
}

const periods = ['day', 'month'] as const
/** Time for which a process counts that is silent, and for which a smaller number waits, in ms. */
const heardMs = 5_000
const exchangeEveryMs = 100
/** Characters of an ISO date that name a period. */
const nameLength = { day: 10, month: 7 }
/** Units of a period are kept a little longer than it. */
const keepMs = { day: 2 * 86_400_000, month: 33 * 86_400_000 }
/** Processes whose last word is known for a period. */
const mostProcesses = 128

/**
 * Adds what a process has spent of a day and a month since its last word, which it may say twice, and counts the processes. An epoch names the
 * memory: where Redis has lost it, the total goes on from the highest one that a process knows.
 */
const exchangeScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local process = ARGV[1]
local field = 'p:' .. process
redis.call('ZADD', KEYS[3], now, process)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ${heardMs})
redis.call('PEXPIRE', KEYS[3], ${heardMs})
local found = {redis.call('ZCARD', KEYS[3])}
for i = 1, 2 do
  local at = 3 + (i - 1) * 5
  local mine, said, known = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local kept = redis.call('HMGET', KEYS[i], 'epoch', 'total', field)
  local epoch, total, heard = kept[1], tonumber(kept[2] or '0'), tonumber(kept[3] or '')
  if not epoch then
    epoch, total = ARGV[2], known + mine - said
  elseif epoch ~= ARGV[at + 3] and not heard then
    total = math.max(total, known) + mine - said
  else
    total = total + math.max(0, mine - (heard or said))
  end
  if not heard and redis.call('HLEN', KEYS[i]) >= ${mostProcesses + 2} then
    for _, other in ipairs(redis.call('HKEYS', KEYS[i])) do
      if string.sub(other, 1, 2) == 'p:' then
        redis.call('HDEL', KEYS[i], other)
        break
      end
    end
  end
  redis.call('HSET', KEYS[i], 'epoch', epoch, 'total', string.format('%.17g', total), field, ARGV[at])
  redis.call('PEXPIRE', KEYS[i], ARGV[at + 4])
  found[#found + 1] = epoch
  found[#found + 1] = string.format('%.17g', total)
end
return found
`)

/** The units of one period, as far as they are known here. */
interface Count {
  readonly name: string
  /** Spent by this process in all, and as Redis knows. */
  mine: number
  said: number
  /** Spent by all, as of then. */
  total: number
  epoch: string
}

export function createSharedSpend(
  redis: RedisConnection,
  plan: string,
  clock: Clock,
  leastProcesses: number,
): SharedSpend {
  const process = newId()
  const counts: Record<SpendPeriod, Count> = { day: startOf(''), month: startOf('') }
  let today = Number.NaN
  let processes = 1
  let fewerSince: number | undefined
  let isFirst = redis.state().connected

  /** Begins what the date of a call begins; a date that lies before is the last one. */
  function moveOn(date: number): void {
    const day = Math.floor(date / 86_400_000)
    if (day <= today) return
    const isBegin = Number.isNaN(today)
    today = day
    for (const period of periods) {
      const name = isoTimeOf(date).slice(0, nameLength[period])
      if (counts[period].name !== name) counts[period] = startOf(name)
    }
    if (isBegin && isFirst) void exchange()
  }

  async function exchange(): Promise<void> {
    // Its host tells the date with its first word.
    if (Number.isNaN(today)) return
    const asked = periods.map((period) => ({ period, count: counts[period], mine: counts[period].mine }))
    const keys = asked.map(({ period, count }) => redis.key(`spend:${plan}`, `${period}:${count.name}`))
    const args = asked.flatMap(({ period, count, mine }) => [
      mine,
      count.said,
      count.total,
      count.epoch,
      keepMs[period],
    ])
    try {
      const all = [...keys, redis.key(`spend:${plan}`, 'processes')]
      const answer = (await redis.run(exchangeScript, all, [process, newId(), ...args])) as readonly unknown[]
      counted(answer[0] as number)
      asked.forEach(({ count, mine }, i) => {
        count.said = mine
        count.epoch = String(answer[1 + 2 * i])
        count.total = Number(answer[2 + 2 * i])
      })
    } catch {
      // It is told with the next one.
    }
    isFirst = false
  }

  function counted(found: number): void {
    const now = clock.now()
    if (found >= processes) fewerSince = undefined
    else if (now - (fewerSince ??= now) < heardMs) return
    processes = Math.max(1, found)
    fewerSince = undefined
  }

  const sharing = (): number => (redis.state().connected ? processes : Math.max(processes, leastProcesses))
  const share = (): number => (isFirst ? 0 : 1 / sharing())
  redis.onReady(() => void exchange())
  redis.every(exchangeEveryMs, exchange)
  return {
    add(units, date) {
      moveOn(date)
      for (const period of periods) counts[period].mine += units
    },
    share,
    left(period, limit, date) {
      moveOn(date)
      const { total, mine, said } = counts[period]
      return Math.max(0, limit - total) * share() - (mine - said)
    },
  }
}

const startOf = (name: string): Count => ({ name, mine: 0, said: 0, total: 0, epoch: '' })
