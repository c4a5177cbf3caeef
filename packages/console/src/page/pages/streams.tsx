import type { StreamRecord } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../api/admin.ts'
import { LiveSummary } from '../parts/live-summary.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { PagedTable } from '../parts/paged-table.tsx'
import { Bar } from '../parts/bar.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { Tile } from '../parts/tile.tsx'
import { useLoad } from '../parts/use-load.ts'
import { hrefOf } from '../router.ts'
import { count, plural } from '../text/format.ts'

const everyMs = 5_000

/** The page of subscriptions and filters. */
export function StreamsPage(): JSX.Element {
  const { value, error, reload } = useLoad((signal) => admin.streams(signal), [], everyMs)
  const items = value?.items ?? []
  const totals = totalsOf(items)
  return (
    <>
      <PageHead
        title="Subscriptions"
        about="What callers hold open: WebSockets, event streams, subscriptions and filters"
      />
      {error !== undefined && (
        <Failure what="Subscriptions" error={error} onRetry={reload} isStale={value !== undefined} />
      )}
      {value === undefined ? (
        error === undefined && <Skeleton rows={8} />
      ) : (
        <>
          <dl class="tiles">
            <Tile name="WebSockets" value={count(totals.sockets)} note="connections" />
            <Tile name="Event streams" value={count(totals.eventStreams)} note="over plain HTTP" />
            <Tile name="Subscriptions" value={count(totals.subscribers)} note="of all kinds" />
            <Tile name="Filters" value={count(totals.filters)} note="that callers poll" />
            <Tile name="Relays" value={count(totals.relays)} note="passed on from nodes" />
          </dl>
          <LiveSummary
            text={`${plural(totals.sockets, 'WebSocket')}, ${plural(totals.subscribers, 'subscription')}, ${plural(totals.filters, 'filter')}.`}
          />
          {items.length === 0 ? (
            <Panel title="Networks">
              <Empty title="No network is configured" />
            </Panel>
          ) : (
            <div class="columns">
              {items.map((network) => (
                <NetworkPanel key={network.network} of={network} />
              ))}
            </div>
          )}
        </>
      )}
    </>
  )
}

interface Totals {
  readonly sockets: number
  readonly eventStreams: number
  readonly subscribers: number
  readonly filters: number
  readonly relays: number
}

function totalsOf(items: readonly StreamRecord[]): Totals {
  const sum = (pick: (network: StreamRecord) => number): number => items.reduce((total, each) => total + pick(each), 0)
  return {
    sockets: sum(({ sockets }) => sockets),
    eventStreams: sum(({ eventStreams }) => eventStreams),
    subscribers: sum(({ kinds }) => kinds.reduce((total, { subscribers }) => total + subscribers, 0)),
    filters: sum(({ filters }) => filters.reduce((total, each) => total + each.count, 0)),
    relays: sum(({ relays }) => relays),
  }
}

function NetworkPanel({ of }: { readonly of: StreamRecord }): JSX.Element {
  const { network, sockets, eventStreams, kinds, filters, relays } = of
  const about = [
    plural(sockets, 'WebSocket'),
    plural(eventStreams, 'event stream'),
    ...(relays > 0 ? [plural(relays, 'relay')] : []),
  ].join(', ')
  const mostKind = Math.max(...kinds.map(({ subscribers }) => subscribers))
  const mostFilters = Math.max(...filters.map((each) => each.count))
  return (
    <Panel title={<Text of={network} />} about={about} isFlush>
      {kinds.length === 0 && filters.length === 0 ? (
        <Empty title="Nothing is subscribed to">eth_subscribe over a WebSocket, or eth_newFilter, shows here.</Empty>
      ) : (
        <>
          {kinds.length > 0 && (
            <PagedTable
              what={`subscriptions of ${network}`}
              caption={`Subscriptions of ${network}`}
              isSmall
              rows={kinds.toSorted((a, b) => b.subscribers - a.subscribers)}
              keyOf={({ kind }) => kind}
              columns={[
                {
                  name: 'Subscription',
                  render: ({ kind, subscribers }) => (
                    <>
                      <Text of={kind} />
                      <Bar part={subscribers} of={mostKind} />
                    </>
                  ),
                },
                { name: 'Subscribers', isNumber: true, render: ({ subscribers }) => count(subscribers) },
              ]}
            />
          )}
          {filters.length > 0 && (
            <PagedTable
              what={`filters of ${network}`}
              caption={`Filters of ${network}`}
              isSmall
              rows={filters.toSorted((a, b) => b.count - a.count)}
              keyOf={({ project }) => project}
              columns={[
                {
                  name: 'Filters of project',
                  render: ({ project, count: own }) => (
                    <>
                      <a href={hrefOf('projects', { project })}>
                        <Text of={project} />
                      </a>
                      <Bar part={own} of={mostFilters} />
                    </>
                  ),
                },
                { name: 'Filters', isNumber: true, render: ({ count: own }) => count(own) },
              ]}
            />
          )}
        </>
      )}
    </Panel>
  )
}
