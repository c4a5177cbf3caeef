import { setTimeout as sleep } from 'node:timers/promises'
import type { Observer, Reported } from '../measure/observer.ts'
import type { Announced, RigClient } from './client.ts'

/** Times between a client's calls of a kind, in ms. */
const headEveryMs = 100
const latestEveryMs = 200
const sendEveryMs = 1_000
const repeatAfterMs = 100
/** Announced blocks that are looked at beside each other; the rest are left. */
const mostLooks = 20

/** Reads and sends by one client until the signal aborts. Never rejects. */
export async function exercise(
  client: RigClient,
  observer: Observer,
  reported: Reported,
  signal: AbortSignal,
): Promise<void> {
  let looks = 0
  let nonceFloor = 0

  /** Asks until there is an answer; the time counts as one stall. Undefined at the end of the run. */
  async function read<T>(what: string, ask: () => Promise<T>): Promise<{ value: T; floor: number } | undefined> {
    const began = performance.now()
    const report = (): void => observer.answered(what, performance.now() - began)
    const ended = once(signal)
    while (!signal.aborted) {
      const floor = reported.head
      try {
        const value = await Promise.race([ask(), ended])
        report()
        return value === over ? undefined : { value: value as T, floor }
      } catch (why) {
        observer.failed(what, why)
        await pause(repeatAfterMs)
      }
    }
    report()
    return undefined
  }

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  async function every(ms: number, run: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await run()
      await pause(ms)
    }
  }

  async function readHead(what: string, ask: () => ReturnType<RigClient['latest']>): Promise<void> {
    const answer = await read(what, ask)
    if (answer !== undefined) observer.head(what, answer.value.number, answer.floor, answer.value.from)
  }

  /** Reads a block that was announced. That it is not there is no failure to be repeated, but the fault that is looked for. */
  async function look({ number, hash }: Announced): Promise<void> {
    observer.announced(number)
    if (looks >= mostLooks) return
    looks++
    const found = await read('the announced block', () => client.hasBlock(hash))
    if (found?.value === false) observer.unreadable(`announced block ${number} was not there`)
    let isMissing = false
    const state = async (): Promise<void> => {
      try {
        await client.stateAt(number)
      } catch (why) {
        if (!isUnknownBlock(why)) throw why
        isMissing = true
      }
    }
    await read('state at the announced block', state)
    if (isMissing) observer.unreadable(`announced block ${number} had no state`)
    looks--
  }

  async function sendNext(): Promise<void> {
    const floor = nonceFloor
    const answer = await read('the pending nonce', () => client.pendingNonce())
    if (answer === undefined) return
    const { number, from } = answer.value
    observer.nonce(number, floor, from)
    nonceFloor = Math.max(nonceFloor, number)
    const began = performance.now()
    try {
      await client.send(number)
      observer.accepted()
      nonceFloor = Math.max(nonceFloor, number + 1)
    } catch (why) {
      if (!signal.aborted) observer.failed('sending', why)
    }
    if (!signal.aborted) observer.sending(performance.now() - began)
  }

  try {
    await client.watch({
      onBlock: (block) => {
        if (!signal.aborted) void look(block)
      },
      onMissing: (why) => observer.unreadable(`an announced block was not there: ${String(why).split('\n')[0]}`),
      onError: (why) => observer.failed('announcements', why),
      onReconnect: () => observer.reconnected(),
    })
  } catch (why) {
    observer.failed('announcements', why)
  }
  await Promise.all([
    every(headEveryMs, () => readHead('the block number', () => client.blockNumber())),
    every(latestEveryMs, () => readHead('the latest block', () => client.latest())),
    every(sendEveryMs, sendNext),
  ])
}

const over = Symbol('over')

function once(signal: AbortSignal): Promise<typeof over> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(over)
    else signal.addEventListener('abort', () => resolve(over), { once: true })
  })
}

/** Whether a node, in the words of geth and others, does not have a block or its state. */
function isUnknownBlock(why: unknown): boolean {
  const { message, details } = Object(why) as { readonly message?: string; readonly details?: string }
  return /header not found|unknown block|missing trie node|block not found|historical state/i.test(
    `${details} ${message}`,
  )
}
