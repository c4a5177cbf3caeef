import type { Clock } from '../clock.ts'
import { defineScript } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The hash of a head that was told to callers, and the upstream that has it, as far as they are known. */
export interface HeadSource {
  readonly hash?: string | undefined
  readonly by?: string | undefined
}

/**
 * The heads and nonces that callers of a network were told by any process. Reads answer from a copy in this process; what is raised
 * here reaches the others in the background. Same shape as the gateway's `ViewStore`, and `settled`.
 */
export interface SharedViewStore {
  /** The highest head that was told; 0 before the first. */
  readonly head: number
  /** Raises the head; a lower one changes nothing here, and other processes learn its hash. */
  raise(head: number, source?: HeadSource): void
  /** Sets the head back, when the chain itself has gone back. */
  lower(head: number): void
  /** The highest pending nonce of a sender that was told in the last minute; 0 where none was. `now` is a time of the clock. */
  nonceOf(sender: string, now: number): number
  raiseNonce(sender: string, nonce: number, now: number): void
  /**
   * Resolves when Redis has what was raised here so far, and has passed it on; after a connection, also when what it knew is here; at once
   * where Redis is gone, within about 1 s where it is silent. Whoever waits for it before telling a head makes sure that no caller sees it go
   * back at another process.
   */
  settled(): Promise<void>
  /** Calls `listener`, which must not throw, with each head that another process has told, and that was not known here. */
  watch(listener: (head: number, source: HeadSource) => void): void
}

const mostSenders = 10_000
const sendersInRun = 100
const nonceForMs = 60_000
/** A head that nobody raised for so long is that of a chain that stands, or of a deployment that is gone. */
const headForMs = 86_400_000
/** Messages may be missed. */
const readEveryMs = 500
/** The hashes of heads that are remembered. */
const mostHashes = 128

/**
 * Passes on heads, given as messages, and those with a hash first kept; then keeps the later of two heads. The epoch counts how often the head
 * was set back: a later epoch wins, within one the higher head.
 */
const headScript = defineScript(`
for i = 6, #ARGV do
  if cjson.decode(ARGV[i])[4] ~= '' then redis.call('LPUSH', KEYS[2], ARGV[i]) end
  redis.call('PUBLISH', ARGV[4], ARGV[i])
end
if #ARGV > 5 then
  redis.call('LTRIM', KEYS[2], 0, ${mostHashes - 1})
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
local epoch, head = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'epoch', 'head')
local keptEpoch, keptHead = tonumber(kept[1] or '0'), tonumber(kept[2] or '0')
if epoch < keptEpoch or (epoch == keptEpoch and head <= keptHead) then return {keptEpoch, keptHead} end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'head', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], cjson.encode({'head', ARGV[5], epoch, head}))
return {epoch, head}
`)

/** Raises nonces, given as pairs. Forgets those that were not raised for a minute, and the oldest beyond 10,000. */
const nonceScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function forget(senders)
  if #senders == 0 then return end
  redis.call('HDEL', KEYS[1], unpack(senders))
  redis.call('ZREM', KEYS[2], unpack(senders))
end
forget(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000))
for i = 4, #ARGV, 2 do
  if tonumber(ARGV[i + 1]) >= tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0') then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('ZADD', KEYS[2], now + tonumber(ARGV[1]), ARGV[i])
    redis.call('PUBLISH', ARGV[2], cjson.encode({'nonce', ARGV[3], ARGV[i], tonumber(ARGV[i + 1])}))
  end
end
local extra = redis.call('ZCARD', KEYS[2]) - ${mostSenders}
if extra > 0 then forget(redis.call('ZRANGE', KEYS[2], 0, extra - 1)) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1
`)

/** Lists senders, their nonces, and the ms for which these are still to be remembered. */
const listScript = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local found = {}
local senders = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf', 'WITHSCORES')
for i = 1, #senders, 2 do
  found[#found + 1] = senders[i]
  found[#found + 1] = redis.call('HGET', KEYS[1], senders[i]) or '0'
  found[#found + 1] = tostring(math.floor(tonumber(senders[i + 1]) - now))
end
return found
`)

/** Lists the messages of the last heads that have a hash, the newest first. */
const hashScript = defineScript(`return redis.call('LRANGE', KEYS[1], 0, -1)`)

/** Redis answers a script before it writes what that published, and takes the next command after it has. */
const passedScript = defineScript('return 1')

export function createSharedView(redis: RedisConnection, network: string, clock: Clock): SharedViewStore {
  const headKey = redis.key(`view:${network}`, 'head')
  const hashKey = redis.key(`view:${network}`, 'hashes')
  const nonceKeys = [redis.key(`view:${network}`, 'nonces'), redis.key(`view:${network}`, 'times')]
  let epoch = 0
  let head = 0
  /** The one told last comes last. */
  const nonces = new Map<string, { readonly nonce: number; readonly until: number }>()
  /** The heights of heads by their hash, the oldest first. */
  const hashes = new Map<string, number>()
  const listeners = new Set<(head: number, source: HeadSource) => void>()
  let isHeadNew = false
  /** Messages of heads that were told here. */
  let newHeads: string[] = []
  const newNonces = new Map<string, number>()
  /** The run that is on its way, and the one that begins after it. */
  let pushing: Promise<void> | undefined
  let nextPush: Promise<void> | undefined
  let catchingUp: Promise<void> | undefined
  /** Whether something did not reach Redis. */
  let isBehind = false

  const nonceOf = (sender: string, now: number): number => {
    const told = nonces.get(sender)
    return told !== undefined && told.until > now ? told.nonce : 0
  }

  /** Whether the nonce is not below what was told. */
  function keepNonce(sender: string, nonce: number, now: number, forMs = nonceForMs): boolean {
    if (nonce < nonceOf(sender, now)) return false
    nonces.delete(sender)
    if (nonces.size >= mostSenders) nonces.delete(nonces.keys().next().value!)
    nonces.set(sender, { nonce, until: now + forMs })
    return true
  }

  function merge(otherEpoch: number, otherHead: number): void {
    if (otherEpoch < epoch || (otherEpoch === epoch && otherHead <= head)) return
    epoch = otherEpoch
    head = otherHead
  }

  /** Whether the hash was not known. */
  function keepHash(hash: string, number: number): boolean {
    if (hashes.has(hash)) return false
    if (hashes.size >= mostHashes) hashes.delete(hashes.keys().next().value!)
    hashes.set(hash, number)
    return true
  }

  /** Takes a message of a head; the process that sent it knows it. */
  function hear([, of, number, hash, by]: readonly unknown[]): void {
    if (of !== network || !Number.isSafeInteger(number) || typeof hash !== 'string' || typeof by !== 'string') return
    const isNew = hash === '' ? (number as number) > head : keepHash(hash, number as number)
    if (!isNew) return
    const source = { hash: hash === '' ? undefined : hash, by: by === '' ? undefined : by }
    for (const listener of listeners) listener(number as number, source)
  }

  async function exchangeHead(messages: readonly string[] = []): Promise<void> {
    const args = [epoch, head, headForMs, redis.channel, network, ...messages]
    const [keptEpoch, keptHead] = (await redis.run(headScript, [headKey, hashKey], args)) as readonly [number, number]
    merge(keptEpoch, keptHead)
  }

  /** Passes on what is new now; what comes meanwhile is for the next run. What fails is passed on with all the rest later. */
  async function push(): Promise<void> {
    const hasHead = isHeadNew
    const heads = newHeads
    const senders = [...newNonces]
    isHeadNew = false
    newHeads = []
    newNonces.clear()
    try {
      if (hasHead) await exchangeHead(heads)
      await Promise.all(partsOf(senders, sendersInRun).map((some) => tellNonces(some.flat())))
      if (hasHead || senders.length > 0) await redis.run(passedScript, [headKey], [])
    } catch {
      isBehind = true
    }
  }

  async function tellNonces(pairs: readonly (string | number)[]): Promise<void> {
    await redis.run(nonceScript, nonceKeys, [nonceForMs, redis.channel, network, ...pairs])
  }

  /** Redis keeps no more senders than these. */
  function tellLater(sender: string, nonce: number): void {
    newNonces.delete(sender)
    if (newNonces.size >= mostSenders) newNonces.delete(newNonces.keys().next().value!)
    newNonces.set(sender, nonce)
  }

  function wake(): void {
    if (pushing === undefined) pushing = push().then(endRun)
    else nextPush ??= pushing.then(push).then(endRun)
  }

  function endRun(): void {
    pushing = nextPush
    nextPush = undefined
  }

  /** Exchanges all that both sides know: Redis may have lost it, or another process may have told more meanwhile. */
  async function exchange(): Promise<void> {
    isBehind = false
    await exchangeHead()
    const told = (await redis.run(hashScript, [hashKey], [])) as readonly string[]
    for (const text of told.toReversed()) hear(JSON.parse(text) as readonly unknown[])
    const now = clock.now()
    for (const [sender, { nonce, until }] of nonces) if (until > now) tellLater(sender, nonce)
    const listed = (await redis.run(listScript, nonceKeys, [])) as readonly string[]
    for (let i = 0; i < listed.length; i += 3) {
      keepNonce(listed[i]!, Number(listed[i + 1]), clock.now(), Number(listed[i + 2]))
    }
    wake()
  }

  const catchUp = (): Promise<void> =>
    (catchingUp ??= exchange()
      .catch(() => void (isBehind = true))
      .finally(() => (catchingUp = undefined)))
  redis.onReady(() => void catchUp())
  redis.every(readEveryMs, () => (isBehind ? catchUp() : exchangeHead()))
  redis.onMessage((message) => {
    const [kind, of, first, second] = message
    if (kind === 'told') hear(message)
    if (of !== network || !Number.isSafeInteger(second)) return
    if (kind === 'head' && Number.isSafeInteger(first)) merge(first as number, second as number)
    if (kind === 'nonce') keepNonce(String(first), second as number, clock.now())
  })

  return {
    get head() {
      return head
    },
    raise(told, { hash = '', by = '' } = {}) {
      const isHashNew = hash !== '' && keepHash(hash, told)
      if (told <= head && !isHashNew) return
      head = Math.max(head, told)
      newHeads.push(JSON.stringify(['told', network, told, hash, by]))
      if (newHeads.length > mostHashes) newHeads.shift()
      isHeadNew = true
      wake()
    },
    lower(told) {
      epoch++
      head = told
      isHeadNew = true
      wake()
    },
    nonceOf,
    raiseNonce(sender, nonce, now) {
      if (!keepNonce(sender, nonce, now)) return
      tellLater(sender, nonce)
      wake()
    },
    async settled() {
      await catchingUp
      await (nextPush ?? pushing)
    },
    watch: (listener) => void listeners.add(listener),
  }
}

function partsOf<T>(list: readonly T[], most: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, i) => list.slice(i * most, (i + 1) * most))
}
