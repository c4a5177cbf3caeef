import type { JSX } from 'preact'
import { admin } from '../api/admin.ts'
import type { PartState, Status } from '../api/model.ts'
import { Badge } from '../parts/badge.tsx'
import { Bar } from '../parts/bar.tsx'
import { Icon } from '../parts/icon.tsx'
import { Panel } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { useLoad } from '../parts/use-load.ts'
import { browser } from '../defaults.ts'
import { range } from '../range.ts'
import { hrefOf } from '../router.ts'
import { lacks } from '../session.ts'
import { compact, count, dateTime } from '../text/format.ts'

const everyMs = 10_000
const topRows = 8

/** Tells what is degraded, and why; nothing where all is well. */
export function DegradedNotice(): JSX.Element | null {
  const mayRead = lacks('read', 'networks') === undefined
  const { value } = useLoad(async (signal) => (mayRead ? admin.status(signal) : undefined), [mayRead], everyMs)
  if (value === undefined || (value.degraded.length === 0 && value.phase === 'running')) return null
  return (
    <div class={`notice ${isOutage(value) ? 'bad' : 'warn'}`} role="status">
      <Icon name="warning" />
      <div class="notice-text">
        {value.phase !== 'running' && <p>The gateway is {value.phase}.</p>}
        {value.degraded.map((part) => (
          <p key={part}>
            <strong>
              <Text of={nameOfPart(part)} />
            </strong>{' '}
            <Text of={reasonOf(value, part)} />
          </p>
        ))}
      </div>
      {value.degraded.some((part) => part.startsWith('network:')) && <a href={hrefOf('networks')}>Look at networks</a>}
    </div>
  )
}

/** Whether a network cannot be served at all. */
function isOutage({ networks }: Status): boolean {
  return Object.values(networks).some(({ state }) => state === 'down')
}

function nameOfPart(part: string): string {
  return part.startsWith('network:')
    ? `Network ${part.slice('network:'.length)}`
    : part[0]!.toUpperCase() + part.slice(1)
}

function reasonOf(status: Status, part: string): string {
  if (part.startsWith('network:')) {
    const { upstreams = [], since } = status.networks[part.slice('network:'.length)] ?? {}
    const out = upstreams.filter(({ state }) => state !== 'ok')
    const all =
      out.length === upstreams.length
        ? `no upstream can be used${since === undefined ? '' : `, since ${dateTime(since)}`}`
        : `${out.length} of ${upstreams.length} upstreams cannot be used`
    return `${all}: ${out.map(({ name, reason = 'no reason is known' }) => `${name}, ${reason}`).join('; ')}`
  }
  const { state = 'degraded', reason } = (status[part] ?? {}) as Partial<PartState>
  return reason === undefined ? `is ${state}` : `is ${state}: ${reason}`
}

/** The networks in short. */
export function NetworkPanel(): JSX.Element | null {
  const mayRead = lacks('read', 'networks') === undefined
  const { value, error, reload } = useLoad(
    async (signal) => (mayRead ? admin.networks(signal) : undefined),
    [mayRead],
    everyMs,
  )
  if (!mayRead) return null
  return (
    <Panel title="Networks" actions={<a href={hrefOf('networks')}>All upstreams</a>} isFlush>
      {error !== undefined && (
        <Failure what="The networks" error={error} onRetry={reload} isStale={value !== undefined} />
      )}
      {value === undefined ? (
        error === undefined && <Skeleton rows={3} />
      ) : value.items.length === 0 ? (
        <Empty title="No network is configured">Name one under “networks” in the configuration, and reload it.</Empty>
      ) : (
        <Table
          caption="Networks"
          isSmall
          rows={value.items}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Network', render: ({ name }) => <Text of={name} /> },
            {
              name: 'State',
              render: ({ upstreams }) => {
                const up = upstreams.filter(({ isUp }) => isUp).length
                return (
                  <Badge tone={up === upstreams.length ? 'ok' : up === 0 ? 'bad' : 'warn'}>
                    {up} of {upstreams.length} up
                  </Badge>
                )
              },
            },
            {
              name: 'Head',
              isNumber: true,
              render: ({ upstreams }) => {
                const heads = upstreams.flatMap(({ head }) => (head === undefined ? [] : [head]))
                return heads.length === 0 ? '–' : count(Math.max(...heads))
              },
            },
          ]}
        />
      )}
    </Panel>
  )
}

/** The methods or the projects that are called most. */
export function TopPanel({ title, by }: { readonly title: string; readonly by: 'method' | 'project' }): JSX.Element {
  const { name, ms, period } = range.value
  const { value, error, reload } = useLoad(
    async (signal) => {
      const to = browser.now()
      const { items } = await admin.usage({ from: to - ms, to, period, by: [by], limit: 10_000 }, signal)
      return items.toSorted((a, b) => b.calls - a.calls).slice(0, topRows)
    },
    [name, by],
    30_000,
  )
  const most = value?.[0]?.calls ?? 0
  return (
    <Panel title={`${title} by calls`} isFlush>
      {error !== undefined && <Failure what="Usage" error={error} onRetry={reload} isStale={value !== undefined} />}
      {value === undefined ? (
        error === undefined && <Skeleton rows={4} />
      ) : value.length === 0 ? (
        <Empty title="No calls in this time">Usage reaches the store within seconds of a call.</Empty>
      ) : (
        <Table
          caption={`${title} by calls`}
          isSmall
          rows={value}
          keyOf={(row) => row[by] ?? ''}
          columns={[
            {
              name: title.slice(0, -1),
              render: (row) => (
                <>
                  <Text of={row[by] ?? ''} />
                  <Bar part={row.calls} of={most} />
                </>
              ),
            },
            { name: 'Calls', isNumber: true, render: ({ calls }) => compact(calls) },
            { name: 'Credits', isNumber: true, render: ({ credits }) => compact(credits) },
          ]}
        />
      )}
    </Panel>
  )
}
