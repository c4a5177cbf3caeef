import type { Clock } from '@wayleave/jsonrpc-core'
import { newId } from '../defaults.ts'
import { createNumberCopy } from '../shared-state/number-copy.ts'
import { createRuns } from '../shared-state/runs.ts'
import type { NumbersOptions, SharedNumber, SharedNumbers, SharedPort } from '../shared-state/shared-port.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** Numbers of one script. */
const numbersInRun = 100
/** Messages may be missed. */
const readEveryMs = 500
/** Time for which a process counts that is silent, in ms. */
const heardMs = 5_000
/** Processes whose last word is known for a count. */
const mostProcesses = 128

const readTime = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`

/**
 * Keeps the numbers given unless a later one is kept, passes those on, and answers with the later ones and the ms for which these are still to
 * be remembered. Forgets numbers whose time is over, and the oldest beyond the most.
 */
const setScript = defineScript(`${readTime}
local function forget(keys)
  if #keys == 0 then return end
  redis.call('HDEL', KEYS[1], unpack(keys))
  redis.call('ZREM', KEYS[2], unpack(keys))
end
forget(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000))
local news, later = {}, {}
for i = 5, #ARGV do
  local key, epoch, number, note, forMs = unpack(cjson.decode(ARGV[i]))
  local kept = redis.call('HGET', KEYS[1], key)
  local ahead = 1
  if kept then
    local _, keptEpoch, keptNumber = unpack(cjson.decode(kept))
    ahead = epoch - keptEpoch
    if ahead == 0 then ahead = number - keptNumber end
  end
  if ahead < 0 then
    later[#later + 1] = kept
    later[#later + 1] = tostring(tonumber(redis.call('ZSCORE', KEYS[2], key) or now) - now)
  else
    news[#news + 1] = ARGV[i]
    if ahead > 0 then
      redis.call('HSET', KEYS[1], key, ARGV[i])
      redis.call('ZADD', KEYS[2], now + forMs, key)
    else
      redis.call('ZADD', KEYS[2], 'GT', now + forMs, key)
    end
  end
end
local extra = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[1])
if extra > 0 then forget(redis.call('ZRANGE', KEYS[2], 0, extra - 1)) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
if #news > 0 then
  redis.call('PUBLISH', ARGV[3], '["numbers",' .. cjson.encode(ARGV[4]) .. ',[' .. table.concat(news, ',') .. ']]')
end
return later
`)

/** Lists the numbers, each with the ms for which it is still to be remembered. */
const listScript = defineScript(`${readTime}
local found = {}
local keys = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf', 'WITHSCORES')
for i = 1, #keys, 2 do
  local kept = redis.call('HGET', KEYS[1], keys[i])
  if kept then
    found[#found + 1] = kept
    found[#found + 1] = tostring(tonumber(keys[i + 1]) - now)
  end
end
return found
`)

/** Redis answers a script before it writes what that published, and takes the next command after it has. */
const passedScript = defineScript('return 1')

/**
 * Adds what a process has counted since its last word, which it may say twice, and counts the processes. An epoch names the memory: where Redis
 * has lost it, the total goes on from the highest one that a process knows.
 */
const addScript = defineScript(`${readTime}
local process = ARGV[1]
local field = 'p:' .. process
redis.call('ZADD', KEYS[1], now, process)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${heardMs})
redis.call('PEXPIRE', KEYS[1], ${heardMs})
local found = {redis.call('ZCARD', KEYS[1])}
for i = 2, #KEYS do
  local at = 3 + (i - 2) * 5
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

/** Makes a port of Redis. `leastProcesses`: the least number of processes that go on by themselves while it is gone. */
export function createRedisPort(redis: RedisConnection, clock: Clock, leastProcesses: number): SharedPort {
  const process = newId()
  const opened = new Map<string, OpenNumbers>()
  redis.onMessage(([kind, name, numbers]) => {
    if (kind === 'numbers' && isNumbers(numbers)) opened.get(String(name))?.hear(numbers)
  })

  return {
    numbers(name, options) {
      let known = opened.get(name)
      if (known === undefined) opened.set(name, (known = openNumbers(redis, name, options, clock)))
      return known.numbers
    },
    async add(name, counts) {
      const keys = [redis.key(name, 'processes'), ...counts.map(({ key }) => redis.key(name, key))]
      const args = counts.flatMap(({ mine, said, known, forMs }) => [mine, said, known.total, known.epoch, forMs])
      const [processes, ...found] = (await redis.run(addScript, keys, [process, newId(), ...args])) as [
        number,
        ...string[],
      ]
      return { processes, totals: counts.map((_, i) => ({ epoch: found[2 * i]!, total: Number(found[2 * i + 1]) })) }
    },
    every(ms, work) {
      redis.onReady(() => void work())
      redis.every(ms, work)
    },
    apart: () => (redis.state().connected ? undefined : leastProcesses),
  }
}

interface OpenNumbers {
  readonly numbers: SharedNumbers
  hear(numbers: readonly SharedNumber[]): void
}

function openNumbers(redis: RedisConnection, name: string, options: NumbersOptions, clock: Clock): OpenNumbers {
  const { most, forMs, isReread = false } = options
  const keys = [redis.key(name, 'numbers'), redis.key(name, 'times')]
  /** The keys of numbers that Redis may not have. */
  const unsent = new Set<string>()
  /** Whether something did not reach Redis. */
  let isBehind = false
  let catchingUp: Promise<void> | undefined
  const copy = createNumberCopy(options, clock, (key) => {
    send(key)
    runs.wake()
  })
  const runs = createRuns(push)

  function send(key: string): void {
    unsent.delete(key)
    if (unsent.size >= most) unsent.delete(unsent.values().next().value!)
    unsent.add(key)
  }

  /** Sends what is new now. What fails is sent with all the rest later. */
  async function push(): Promise<void> {
    const news = copy.pick(unsent)
    unsent.clear()
    if (news.length === 0) return
    try {
      await Promise.all(partsOf(news, numbersInRun).map(set))
      await redis.run(passedScript, keys, [])
    } catch {
      isBehind = true
    }
  }

  async function set(numbers: readonly SharedNumber[]): Promise<void> {
    const args = [most, forMs, redis.channel, name, ...numbers.map((number) => JSON.stringify(number))]
    copy.hear(readNumbers(await redis.run(setScript, keys, args)))
  }

  async function read(): Promise<readonly SharedNumber[]> {
    const listed = readNumbers(await redis.run(listScript, keys, []))
    copy.hear(listed)
    return listed
  }

  /** Exchanges all that both sides know: Redis may have lost it, or another process may have set more meanwhile. */
  async function exchange(): Promise<void> {
    isBehind = false
    const listed = new Map((await read()).map((number) => [number[0], number]))
    for (const [key, { epoch, number }] of copy.list()) {
      const kept = listed.get(key)
      if (kept === undefined || epoch !== kept[1] || number !== kept[2]) send(key)
    }
    if (unsent.size > 0) runs.wake()
  }

  const catchUp = (): Promise<void> =>
    (catchingUp ??= exchange()
      .catch(() => void (isBehind = true))
      .finally(() => (catchingUp = undefined)))
  redis.onReady(() => void catchUp())
  redis.every(readEveryMs, async () => {
    // Redis may have lost numbers without a connection that broke.
    if (isBehind || isReread) await catchUp()
  })
  return {
    hear: copy.hear,
    numbers: {
      ...copy,
      async settled() {
        await catchingUp
        await runs.last
        return !isBehind
      },
    },
  }
}

/** Reads numbers as scripts list them: each as it was set, and the ms for which it is still to be remembered. */
function readNumbers(listed: unknown): readonly SharedNumber[] {
  const texts = listed as readonly string[]
  return Array.from({ length: texts.length / 2 }, (_, i) => {
    const [key, epoch, number, note] = JSON.parse(texts[2 * i]!) as SharedNumber
    return [key, epoch, number, note, Number(texts[2 * i + 1])]
  })
}

function isNumbers(value: unknown): value is readonly SharedNumber[] {
  return Array.isArray(value) && value.every((each) => Array.isArray(each) && isNumber(each))
}

function isNumber([key, epoch, number, note, forMs]: readonly unknown[]): boolean {
  return (
    typeof key === 'string' &&
    typeof note === 'string' &&
    [epoch, number, forMs].every((each) => Number.isSafeInteger(each))
  )
}

function partsOf<T>(list: readonly T[], most: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, i) => list.slice(i * most, (i + 1) * most))
}
