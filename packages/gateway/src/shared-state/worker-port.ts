import { type Clock, RpcError } from '@wayleave/jsonrpc-core'
import {
  createNumberCopy,
  createRuns,
  type NumberCopy,
  type SharedNumber,
  type SharedNumbers,
  type SharedPort,
} from '@wayleave/stores/shared-state'
import type { Channel } from './channel.ts'
import { type AddedCounts, leaseMs, type NewNumbers, type OpenedNumbers } from './primary-port.ts'

/** The lease is renewed in the background once so much of it is over, in ms. */
const renewAfterMs = 20
/** Longest wait for the primary, in ms: then calls that tell a head fail rather than tell one that may go back. */
const answerMs = 1_000
/** Longest wait where it has not answered for that long before, in ms: the time in which a process that was paused reads what has come. */
const silentMs = 50

interface OpenNumbers {
  readonly copy: NumberCopy
  readonly numbers: SharedNumbers
  /** The keys of numbers that the primary does not know, as many at most as the copy keeps. */
  readonly unsent: Set<string>
}

/**
 * Creates the port of a worker. It announces numbers on a lease of {@link leaseMs}: it asks the primary for one when a call needs it, and all that
 * the others had set before is here when the answer comes. So a worker that was paused finds its lease over.
 */
export function createWorkerPort(channel: Channel, { clock }: { readonly clock: Clock }): SharedPort {
  const opened = new Map<string, OpenNumbers>()
  const runs = createRuns(send)
  let leasedAt = Number.NEGATIVE_INFINITY
  let opening: Promise<void> | undefined
  let renewing: Promise<void> | undefined
  /** Questions without an answer yet, and since when there is none. */
  let unanswered = 0
  let silentSince = 0

  /** Asks the primary; its answer proves that all is here that it sent before. */
  async function ask(topic: string, body?: unknown): Promise<unknown> {
    const askedAt = clock.now()
    if (unanswered++ === 0) silentSince = askedAt
    const answer = await channel.ask(topic, body).finally(() => {
      unanswered--
      silentSince = clock.now()
    })
    leasedAt = Math.max(leasedAt, askedAt)
    return answer
  }

  function renew(): Promise<void> {
    renewing ??= ask('shared.renew')
      .then(() => {})
      .finally(() => (renewing = undefined))
    return renewing
  }

  /** Resolves while the lease holds. Undefined: it does. */
  function leased(): Promise<void> | undefined {
    const age = clock.now() - leasedAt
    if (age >= leaseMs) return renew()
    if (age >= renewAfterMs) renew().catch(() => {})
    return undefined
  }

  /** Sends all that is new now. */
  async function send(): Promise<void> {
    const news: NewNumbers = [...opened].flatMap(([name, { copy, unsent }]) => {
      const numbers = copy.pick(unsent)
      unsent.clear()
      return numbers.length > 0 ? [[name, numbers] as const] : []
    })
    await ask('shared.set', news)
  }

  function open(name: string, options: OpenedNumbers['options']): OpenNumbers {
    const unsent = new Set<string>()
    const copy = createNumberCopy(options, clock, (key) => {
      unsent.delete(key)
      if (unsent.size >= options.most) unsent.delete(unsent.values().next().value!)
      unsent.add(key)
      runs.wake()
    })
    const message: OpenedNumbers = { name, options }
    const own: Promise<void> = ask('shared.open', message).then((all) => {
      if (opening === own) opening = undefined
      copy.hear(all as readonly SharedNumber[])
    })
    // Answers come in order, so it is the last one.
    opening = own
    own.catch(() => {})
    return { copy, unsent, numbers: { ...copy, settled } }
  }

  function settled(): Promise<boolean> {
    if ((opening ?? runs.last ?? leased()) === undefined) return done
    // A primary that has been silent for long is not waited for as long again.
    const ms = unanswered > 0 && clock.now() - silentSince >= answerMs ? silentMs : answerMs
    return withinTime(settle(), ms, clock)
  }

  /** Waits for all that is under way, and for a lease. */
  async function settle(): Promise<void> {
    await opening
    await runs.last
    // A lease that was asked for before this call may be over when it comes; what was set before this call is here after the second.
    await leased()
    await leased()
  }

  channel.serve('shared.news', (news) => {
    for (const [name, numbers] of news as NewNumbers) opened.get(name)?.copy.hear(numbers)
  })
  return {
    numbers(name, options) {
      let known = opened.get(name)
      if (known === undefined) opened.set(name, (known = open(name, options)))
      return known.numbers
    },
    add(name, counts) {
      const message: AddedCounts = { name, counts }
      return channel.ask('shared.add', message) as ReturnType<SharedPort['add']>
    },
    every: undefined,
    apart: () => undefined,
  }
}

const done = Promise.resolve(true)

/** Settles as the work does, but rejects after so many ms, and where the primary is gone: heads stand still rather than go back. */
function withinTime(work: Promise<void>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const message = 'what other workers told of the chain is not known now; try again'
    const refuse = (): void => reject(new RpcError('unavailable', message, { delivery: 'not_sent' }))
    const stop = clock.after(ms, refuse)
    work.then(() => resolve(true), refuse).finally(stop)
  })
}
