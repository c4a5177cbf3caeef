import type { Clock } from '@wayleave/jsonrpc-core'
import type { HeadSource, SharedView } from '@wayleave/stores/shared-state'
import type { ChainView, Endpoint, EndpointView } from '@wayleave/upstream'

/** The highest head that callers were told, and who told it first. */
export interface AnnouncedHead {
  /** Raises it. */
  raise(number: number, source: HeadSource): void
  /** Takes note of the health of an upstream. */
  changed(endpoint: Endpoint, now: EndpointView): void
  close(): void
}

/** Time after which a head is taken back whose upstream the others contradict all the while, in ms: no other one could serve it. */
const contradictedMs = 2_000

/** `view`: returns the view of the chain. */
export function createAnnouncedHead(reported: SharedView, view: () => ChainView, clock: Clock): AnnouncedHead {
  let by: string | undefined
  let number = 0
  let stop = (): void => {}

  const isContradicted = ({ health }: Pick<EndpointView, 'health'>): boolean =>
    health === 'ahead' || health === 'forked'

  function takeBack(endpoint: Pick<Endpoint, 'name'>): void {
    const { head } = view()
    const isItsOwn = by === endpoint.name && number === reported.head
    if (head !== undefined && isItsOwn && head.number < number && isContradicted(view().of(endpoint as Endpoint)))
      reported.lower(head.number)
  }

  /** Looks again after a while, if an upstream that others contradict has told the head. */
  function changed(endpoint: Pick<Endpoint, 'name'>, now: EndpointView): void {
    if (by !== endpoint.name || !isContradicted(now)) return
    stop()
    stop = clock.after(contradictedMs, () => takeBack(endpoint))
  }

  return {
    raise(next, source) {
      if (next > reported.head) {
        by = source.by
        number = next
        // An answer may come once its upstream is left alone.
        if (by !== undefined) changed({ name: by }, view().of({ name: by } as Endpoint))
      }
      reported.raise(next, source)
    },
    changed,
    close: () => stop(),
  }
}
