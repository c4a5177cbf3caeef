import type { LiveCall, LiveCallQuery } from '@wayleave/admin-api'
import { liveEvents, type LiveCalls, type LiveReader } from '../trace/live-calls.ts'
import type { Channel } from './channel.ts'
import { topics } from './topics.ts'

/** A reader whom a worker has to tell, from the primary process. */
interface Follow {
  readonly id: number
  readonly wanted: LiveCallQuery
  /** The name of the worker's process. */
  readonly process: string
}

/** An event for a reader, from a worker; answered once it was taken. */
interface Reported {
  readonly id: number
  readonly event: string
  readonly data: unknown
}

/** Events of one reader that may be on their way to the primary. What comes while it takes none is dropped. */
const mostUnanswered = 2

/** In the primary: has a worker tell its calls while somebody reads. Returns a function that ends that. */
export function askLiveCalls(live: LiveCalls, channel: Channel, process: string): () => void {
  const readers = new Map<number, LiveReader>()
  let stop = (): void => {}
  let nextId = 1
  channel.serve(topics.calls, (body) => {
    const { id, event, data } = body as Reported
    const reader = readers.get(id)
    if (event === liveEvents.calls) for (const call of data as readonly LiveCall[]) reader?.add(call)
    else reader?.lose((data as { readonly count: number }).count)
  })
  // Sent by a worker that has come to serve.
  channel.serve(topics.followed, () => {
    stop()
    stop = live.watchReaders((reader) => {
      const id = nextId++
      readers.set(id, reader)
      const follow: Follow = { id, wanted: reader.wanted, process }
      channel.report(topics.follow, follow)
      return () => {
        readers.delete(id)
        channel.report(topics.unfollow, id)
      }
    })
  })
  return () => stop()
}

/** In a worker: tells the primary the calls that somebody there wants. Returns a function that ends that. */
export function reportLiveCalls(live: LiveCalls, channel: Channel): () => void {
  const ends = new Map<number, () => void>()
  channel.serve(topics.follow, (body) => {
    const { id, wanted, process } = body as Follow
    let unanswered = 0
    const answered = (): void => void unanswered--
    const sink = {
      send(event: string, data: unknown): boolean {
        if (unanswered >= mostUnanswered) return false
        unanswered++
        const reported: Reported = { id, event, data }
        channel.ask(topics.calls, reported).then(answered, answered)
        return true
      },
      end: () => {},
    }
    ends.set(id, live.follow(wanted, sink, process))
  })
  channel.serve(topics.unfollow, (id) => {
    ends.get(id as number)?.()
    ends.delete(id as number)
  })
  channel.report(topics.followed)
  return () => {
    for (const end of ends.values()) end()
    ends.clear()
  }
}
