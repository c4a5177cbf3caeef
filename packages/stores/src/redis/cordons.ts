import { StoresError } from '../error.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** An upstream that an operator has taken out of service. */
export interface Cordon {
  readonly network: string
  readonly upstream: string
  readonly reason: string
  /** Unix time in ms, by the clock of Redis. */
  readonly at: number
}

/** The cordons of all processes. They hold in every process within 1 s, and in each on while Redis is gone. */
export interface Cordons {
  /** Answers from a copy in this process. */
  isCordoned(network: string, upstream: string): boolean
  list(): readonly Cordon[]
  /** Takes an upstream out of service, and resolves when Redis has it. @throws StoresError `invalid`, `conflict`, `unavailable`. */
  cordon(network: string, upstream: string, reason: string): Promise<void>
  uncordon(network: string, upstream: string): Promise<void>
  /** Calls `listener` after each change; the function returned ends that. */
  watch(listener: () => void): () => void
}

/** A cordon, or the mark that one was lifted, which wins over older news. */
interface Entry extends Cordon {
  readonly isOn: boolean
}

const mostEntries = 1_000
/** How long a mark is kept that a cordon was lifted, in ms. */
const keepLiftedMs = 86_400_000
/** Messages may be missed. */
const readEveryMs = 500

/** Puts an entry if it is newer than the one kept; `at` 0 is the present. Returns its time, or 0 where there is no room. */
const putScript = defineScript(`
local entry = cjson.decode(ARGV[2])
local kept = redis.call('HGET', KEYS[1], ARGV[1])
local keptAt = kept and cjson.decode(kept).at or 0
if entry.at == 0 then
  local time = redis.call('TIME')
  entry.at = math.max(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), keptAt + 1)
end
if entry.at <= keptAt then return keptAt end
if not kept and redis.call('HLEN', KEYS[1]) >= ${mostEntries} then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(entry))
redis.call('PUBLISH', ARGV[3], cjson.encode({'cordon', ''}))
return entry.at
`)

/** Lists all entries, and drops old marks. */
const listScript = defineScript(`
local time = redis.call('TIME')
local old = tonumber(time[1]) * 1000 - ${keepLiftedMs}
local found = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local entry = cjson.decode(all[i + 1])
  if entry.isOn or entry.at > old then found[#found + 1] = all[i + 1] else redis.call('HDEL', KEYS[1], all[i]) end
end
return found
`)

export function createCordons(redis: RedisConnection): Cordons {
  const keys = [redis.key('cordons', 'all')]
  const entries = new Map<string, Entry>()
  const listeners = new Set<() => void>()

  function keep(entry: Entry): boolean {
    const place = placeOf(entry.network, entry.upstream)
    if ((entries.get(place)?.at ?? 0) >= entry.at) return false
    entries.set(place, entry)
    return true
  }

  function tell(): void {
    for (const listener of listeners) listener()
  }

  /** Reads all, and returns their places. */
  async function read(): Promise<ReadonlySet<string>> {
    const listed = ((await redis.run(listScript, keys, [])) as readonly string[]).map(
      (text) => JSON.parse(text) as Entry,
    )
    if (listed.map(keep).includes(true)) tell()
    const known = new Set(listed.map(({ network, upstream }) => placeOf(network, upstream)))
    for (const [place, { isOn }] of entries) if (!isOn && !known.has(place)) entries.delete(place)
    return known
  }

  async function put(entry: Entry): Promise<number> {
    const place = placeOf(entry.network, entry.upstream)
    return (await redis.run(putScript, keys, [place, JSON.stringify(entry), redis.channel])) as number
  }

  async function set(network: string, upstream: string, reason: string, isOn: boolean): Promise<void> {
    for (const text of [network, upstream, reason]) {
      if (text.length > 512)
        throw new StoresError('invalid', 'network, upstream, reason: expected at most 512 characters')
    }
    const entry = { network, upstream, reason, isOn, at: 0 }
    const at = await put(entry)
    if (at === 0) throw new StoresError('conflict', `there are ${mostEntries} cordons: lift some first`)
    if (keep({ ...entry, at })) tell()
  }

  /** Gives back to Redis what it may have lost. */
  async function exchange(): Promise<void> {
    const known = await read()
    for (const [place, entry] of entries) if (entry.isOn && !known.has(place)) await put(entry)
  }

  redis.onReady(() => void exchange().catch(() => {}))
  redis.every(readEveryMs, async () => void (await read()))
  redis.onMessage(([kind]) => {
    if (kind === 'cordon') void read().catch(() => {})
  })

  return {
    isCordoned: (network, upstream) => entries.get(placeOf(network, upstream))?.isOn === true,
    list: () =>
      [...entries.values()]
        .filter(({ isOn }) => isOn)
        .map(({ network, upstream, reason, at }) => ({ network, upstream, reason, at })),
    cordon: (network, upstream, reason) => set(network, upstream, reason, true),
    uncordon: (network, upstream) => set(network, upstream, '', false),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function placeOf(network: string, upstream: string): string {
  return JSON.stringify([network, upstream])
}
