import type { Clock } from '@wayleave/jsonrpc-core'
import { type StoreFault, StoresError } from '../error.ts'
import { defineScript, explainRedis, openRedisClient, type RedisClient, type RedisScript } from './redis-client.ts'

/** Whether Redis answers. `since` is a time of the clock in ms; `fault` says why not. */
export type RedisState =
  | { readonly connected: true; readonly since: number }
  | { readonly connected: false; readonly since: number; readonly fault: StoreFault }

/** A connection that is made anew whenever it ends. */
export interface RedisConnection {
  /** Names a key. Those with the same `tag` are on one node of a cluster. */
  key(tag: string, name: string): string
  /** The channel of all messages. */
  readonly channel: string
  /** Rejects within 1 s with StoresError `unavailable`; what was asked may have been done, or may be done later. */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  /**
   * Sends a command that concerns one key; texts of the answer are bytes. Undefined while there is no connection. Has no deadline of its own,
   * and rejects with what the library throws, at the latest when the connection ends.
   */
  send(key: string, args: readonly (string | Buffer)[]): Promise<unknown> | undefined
  /** Calls `listener` for each message on the channel that is a list; some may be missed. */
  onMessage(listener: (message: readonly unknown[]) => void): void
  /** Calls `listener` after each connection, and at once if there is one. */
  onReady(listener: () => void): void
  /** Calls `work` every `ms` while connected, one at a time. */
  every(ms: number, work: () => Promise<void>): void
  /** Begins to connect. Resolves after the first attempt, or 1 s. */
  start(): Promise<void>
  state(): RedisState
  onState(listener: (state: RedisState) => void): () => void
  close(): Promise<void>
}

const answerMs = 1_000
/** All that comes before the first answer: loading the library, each connection, the nodes of a cluster. */
const openMs = 3_000
const beatMs = 500
const firstRetryMs = 50
const lastRetryMs = 2_000

const beat = defineScript(`return redis.call('EXISTS', KEYS[1])`)

/**
 * Prepares a connection, without one for messages if they are not wanted.
 * @throws StoresError `unavailable` for anything but a URL of Redis, `invalid` for a prefix that is none
 */
export function connectRedis(
  url: string | readonly string[],
  prefix: string,
  clock: Clock,
  { hasMessages = true }: { readonly hasMessages?: boolean } = {},
): RedisConnection {
  if (!/^[\w.:-]{1,64}$/.test(prefix)) {
    throw new StoresError('invalid', 'prefix: expected 1 to 64 letters, digits, "_", "-", "." or ":"')
  }
  const urls = typeof url === 'string' ? [url] : url
  const where = describeRedis(urls)
  const isCluster = typeof url !== 'string'
  const channel = `${prefix}:told`
  const key = (tag: string, name: string): string => `${prefix}:{${tag}}:${name}`
  const onMessages: ((message: readonly unknown[]) => void)[] = []
  const onReadies: (() => void)[] = []
  const onStates = new Set<(state: RedisState) => void>()
  let state: RedisState = { connected: false, since: clock.now(), fault: 'unreachable' }
  let client: RedisClient | undefined
  let isClosed = false
  let retryMs = firstRetryMs
  const timers = new Set<() => void>()
  const waiting = new Set<(closed: StoresError) => void>()

  function after(ms: number, f: () => void): () => void {
    const stop = clock.after(ms, () => {
      timers.delete(stop)
      f()
    })
    timers.add(stop)
    return () => {
      timers.delete(stop)
      stop()
    }
  }

  function setState(fault: StoreFault | undefined): void {
    const before = state.connected ? undefined : state.fault
    if (state.connected === (fault === undefined) && before === fault) return
    const since = clock.now()
    state = fault === undefined ? { connected: true, since } : { connected: false, since, fault }
    for (const listener of onStates) listener(state)
  }

  /** Settles with `work`, or rejects after `ms`. */
  function inTime<T>(work: Promise<T>, ms = answerMs): Promise<T> {
    return new Promise((resolve, reject) => {
      waiting.add(reject)
      const stop = after(ms, () =>
        reject(new StoresError('unavailable', `${where} did not answer within ${ms} ms`, { fault: 'silent' })),
      )
      work
        .then(resolve, (thrown: unknown) => reject(explainRedis(thrown, where)))
        .finally(() => {
          stop()
          waiting.delete(reject)
        })
    })
  }

  function lose(lost: RedisClient | undefined, thrown: unknown): void {
    if (isClosed || lost !== client) return
    client = undefined
    lost?.destroy()
    setState(explainRedis(thrown, where).fault ?? 'failed')
    after(retryMs, () => void open())
    retryMs = Math.min(retryMs * 2, lastRetryMs)
  }

  async function open(): Promise<void> {
    let opened: RedisClient | undefined
    let isLost = false
    const onLost = (thrown: unknown): void => {
      isLost = true
      if (opened !== undefined) lose(opened, thrown)
    }
    const onMessage = (text: string): void => {
      const message = listOf(text)
      if (message !== undefined) for (const listener of onMessages) listener(message)
    }
    const opening = openRedisClient(urls, isCluster, hasMessages ? channel : undefined, { onMessage, onLost }, answerMs)
    try {
      opened = await inTime(opening, openMs)
      if (!isLost) await inTime(opened.run(beat, [key('beat', 'beat')], []))
    } catch (thrown) {
      // The connection may open after all, too late.
      void opening.then(
        (late) => late.destroy(),
        () => {},
      )
      return lose(undefined, thrown)
    }
    if (isClosed || isLost) {
      opened.destroy()
      return isClosed ? undefined : lose(undefined, undefined)
    }
    client = opened
    retryMs = firstRetryMs
    setState(undefined)
    for (const listener of onReadies) listener()
    keepBeating(opened)
  }

  /** Finds out that Redis is silent, where the connection does not say so. */
  function keepBeating(own: RedisClient): void {
    after(beatMs, () => {
      if (own !== client) return
      inTime(own.run(beat, [key('beat', 'beat')], [])).then(
        () => keepBeating(own),
        (thrown: unknown) => lose(own, thrown),
      )
    })
  }

  return {
    key,
    channel,
    async run(script, keys, args) {
      if (isClosed) throw new StoresError('closed', 'the stores were closed')
      if (client !== undefined) return inTime(client.run(script, keys, args))
      const fault = state.connected ? 'failed' : state.fault
      throw new StoresError('unavailable', `${where} cannot be used: there is no connection (${fault})`, { fault })
    },
    send: (own, args) => client?.send(own, args),
    onMessage: (listener) => void onMessages.push(listener),
    onReady(listener) {
      onReadies.push(listener)
      if (client !== undefined) listener()
    },
    every(ms, work) {
      const again = (): void => {
        if (isClosed) return
        const done = client === undefined ? Promise.resolve() : work().catch(() => {})
        void done.then(() => after(ms, again))
      }
      after(ms, again)
    },
    async start() {
      await Promise.race([open(), new Promise<void>((resolve) => void after(answerMs, resolve))])
    },
    state: () => state,
    onState(listener) {
      onStates.add(listener)
      return () => void onStates.delete(listener)
    },
    async close() {
      isClosed = true
      for (const stop of timers) stop()
      timers.clear()
      client?.destroy()
      client = undefined
      for (const reject of waiting) reject(new StoresError('closed', 'the stores were closed'))
      waiting.clear()
    },
  }
}

function listOf(text: string): readonly unknown[] | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return Array.isArray(message) ? message : undefined
  } catch {
    return undefined
  }
}

/** Names the hosts, without user and password. @throws StoresError for anything but URLs of Redis */
export function describeRedis(urls: readonly string[]): string {
  const hosts = urls.map((url) => {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (
      parsed === undefined ||
      !/^rediss?:$/.test(parsed.protocol) ||
      parsed.host === '' ||
      /[@#]/.test(parsed.pathname)
    ) {
      throw new StoresError(
        'unavailable',
        'expected a URL of the form redis://user:password@host:6379, other characters than letters and digits percent-encoded',
      )
    }
    return parsed.host
  })
  if (hosts.length === 0)
    throw new StoresError('unavailable', 'expected the URL of one node of the Redis Cluster at least')
  return `Redis at ${hosts.join(', ')}`
}
