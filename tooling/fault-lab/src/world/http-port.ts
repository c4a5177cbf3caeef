import type { UndiciPort } from '@wayleave/upstream/node'
import { Exchange, type Load } from '@wayleave/upstream/internal/node/exchange'
import type { Journal } from './journal.ts'
import type { LabNode } from './node.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { exchange, type Reply } from './wire.ts'

export interface LabPort extends UndiciPort {
  /** Exchanges that have not ended. */
  readonly inFlight: number
  /** The bodies of those of them that began by a time. */
  begunBy(at: number): readonly string[]
}

export interface LabPortOptions {
  readonly nodeOf: (url: string) => LabNode
  readonly clock: VirtualClock
  readonly journal: Journal
}

/** An error of the system under undici. */
const broken = (code: string): Error => Object.assign(new Error(code), { code })
const refusedAfterMs = 1
const reported = 300

/**
 * Makes a port to the nodes of the lab. The reading of responses is undici's reader of the gateway, which gets bytes and errors as undici
 * would give them.
 */
export function createLabPort({ nodeOf, clock, journal }: LabPortOptions): LabPort {
  const load: Load = { inFlight: 0, turns: undefined, generation: 0, onStale() {} }
  /** The functions that break each exchange, its body, and when it began. */
  const open = new Map<(why: Error) => void, { readonly body: string; readonly since: number }>()

  function begin(node: LabNode, body: string, reader: Exchange): void {
    const { name } = node.plan
    let stop = (): void => {}
    let isConnected = false
    const forget = node.onChange(() => {
      if (node.faults.isDown && isConnected) fail(broken('UND_ERR_SOCKET'))
    })
    function over(): void {
      open.delete(fail)
      forget()
      stop()
    }
    function fail(why: Error): void {
      if (!open.has(fail)) return
      over()
      journal.note(name, 'failed', `${why.message}, ${body}`.slice(0, reported))
      reader.onError(why)
    }
    function arrive(): void {
      journal.note(name, 'asked', body.slice(0, reported))
      const outcome = exchange(node, body)
      // The caller may have gone meanwhile.
      if (!open.has(fail) || outcome === 'nothing') return
      const back = node.latency() / 2
      if (outcome === 'reset') stop = clock.after(back, () => fail(broken('UND_ERR_SOCKET')))
      else stop = clock.after(back + outcome.lateMs, () => deliver(outcome))
    }
    function deliver({ status, headers, bytes, end, sending }: Reply): void {
      reader.onHeaders(
        status,
        headers.map((text) => Buffer.from(text)),
        () => {},
      )
      if (bytes.length > 0) reader.onData(bytes)
      if (end === 'never') return
      if (end === 'reset') return fail(broken('UND_ERR_SOCKET'))
      over()
      if (sending !== undefined) sending.answeredAt = clock.now()
      journal.note(name, 'answered', `${status} ${bytes.toString('latin1').slice(0, reported)}`)
      reader.onComplete()
    }
    open.set(fail, { body, since: clock.now() })
    if (node.faults.isDown) {
      stop = clock.after(refusedAfterMs, () => fail(broken('ECONNREFUSED')))
      return
    }
    try {
      isConnected = true
      reader.onConnect((why) => fail(why ?? broken('UND_ERR_ABORTED')))
    } catch (thrown) {
      return fail(thrown as Error)
    }
    stop = clock.after(node.latency() / 2, arrive)
  }

  return {
    get inFlight() {
      return open.size
    },
    begunBy: (at) => [...open.values()].filter(({ since }) => since <= at).map(({ body }) => body),
    http: ({ url, body }, context) =>
      new Promise((resolve, reject) => begin(nodeOf(url), body, new Exchange(context, load, resolve, reject))),
    renew() {},
    close() {
      for (const fail of open.keys()) fail(broken('UND_ERR_DESTROYED'))
      return Promise.resolve()
    },
  }
}
