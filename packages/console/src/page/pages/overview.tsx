import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Chart } from '../parts/chart.tsx'
import { LiveSummary } from '../parts/live-summary.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { RangeSwitch } from '../parts/range-switch.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { Tile } from '../parts/tile.tsx'
import { useLoad } from '../parts/use-load.ts'
import { admin } from '../api/admin.ts'
import type { PartState, Status } from '../api/model.ts'
import { browser } from '../defaults.ts'
import { range } from '../range.ts'
import { lacks } from '../session.ts'
import { compact, count, dateTime, ms, percent, perSecond, plural, span } from '../text/format.ts'
import { loadOverview, type OverviewData, totalsOf } from './overview-data.ts'
import { DegradedNotice, NetworkPanel, TopPanel } from './overview-parts.tsx'

/** The first page: how the gateway fares. */
export function Overview(): JSX.Element {
  const chosen = range.value
  const everyMs = Math.min(Math.max(chosen.step, 5_000), 60_000)
  const { value, error, isLoading, reload } = useLoad(
    (signal) => loadOverview(chosen, browser.now(), signal),
    [chosen.name],
    everyMs,
  )
  const isMeasured = chosen.from === 'traffic'

  return (
    <>
      <PageHead
        title="Overview"
        about={
          isMeasured ? (
            <>
              Measured by <Processes />
              {value?.since !== undefined && ` since ${dateTime(value.since)}`}, in steps of {chosen.step / 1_000} s
            </>
          ) : (
            `Sums of the store by ${chosen.period}; latency and cache are known for the last 24 hours`
          )
        }
      >
        <RangeSwitch />
      </PageHead>
      <DegradedNotice />
      {error !== undefined && <Failure what="Traffic" error={error} onRetry={reload} isStale={value !== undefined} />}
      {value === undefined ? (
        error === undefined && <Outline isMeasured={isMeasured} />
      ) : (
        <div class={isLoading ? 'dim' : ''} aria-busy={isLoading}>
          <Numbers data={value} />
          <Charts data={value} />
        </div>
      )}
      <div class="columns">
        <div class="stack">
          <NetworkPanel />
          <TopPanel title="Projects" by="project" />
        </div>
        <TopPanel title="Methods" by="method" />
      </div>
    </>
  )
}

/** The process that measures, with its workers and its age. */
function Processes(): JSX.Element {
  const mayRead = lacks('read') === undefined
  const { value } = useLoad(
    async (signal) => (mayRead ? Promise.all([admin.processes(signal), admin.status(signal)]) : undefined),
    [mayRead],
  )
  const [processes, status] = value ?? []
  const own = processes?.items[0]
  if (own === undefined) return <>this process</>
  const workers = own.workers === undefined ? '' : ` and its ${plural(own.workers, 'worker')}`
  return (
    <>
      <Text of={own.process} />
      {workers}
      {status !== undefined && replicaOf(status)}, up for {span(browser.now() - own.startedAt)}
    </>
  )
}

/** Says that others serve the same callers, whose calls are in none of these numbers. */
function replicaOf({ redis, limits }: Status): string {
  const { replicas = 1 } = (limits ?? {}) as Partial<PartState>
  return redis === undefined || replicas < 2 ? '' : ` (this replica of ${count(replicas)}; the tables below are of all)`
}

/** Stands where the numbers and the charts will, as high as these. */
function Outline({ isMeasured }: { readonly isMeasured: boolean }): JSX.Element {
  return (
    <div aria-hidden="true">
      <dl class="tiles">
        {['Calls', 'In flight', 'Errors', 'p50', 'p99', 'Cache hits', 'Credits', 'Open now'].map((name) => (
          <Tile key={name} name={name} value={'\u00a0'} />
        ))}
      </dl>
      <div class="grid">
        {(isMeasured ? [1, 2, 3, 4] : [1]).map((i) => (
          <div key={i} class="panel outline">
            <Skeleton rows={3} />
          </div>
        ))}
      </div>
    </div>
  )
}

function Numbers({ data }: { readonly data: OverviewData }): JSX.Element {
  const totals = useMemo(() => totalsOf(data), [data])
  const { calls, errors, cacheHits, cacheAsked, worstP99, sockets, streams, rate } = totals
  const { p50, p99, open } = data
  const isMeasured = data.measured !== undefined
  const unknown = 'for ranges up to 24h'
  return (
    <>
      <dl class="tiles">
        <Tile
          name="Calls"
          value={compact(calls)}
          note={isMeasured ? `${perSecond(rate)} now` : perSecond((calls * 1_000) / (data.to - data.from))}
        />
        <Tile
          name="In flight"
          value={open === undefined ? '–' : count(open.calls)}
          note={isMeasured ? oldestOf(open) : unknown}
          isBad={(open?.oldestMs ?? 0) >= slowMs}
        />
        <Tile
          name="Errors"
          value={calls === 0 ? 'no data' : percent(errors, calls)}
          note={`${count(errors)} calls`}
          isBad={errors > calls / 100}
        />
        <Tile name="p50" value={timeOf(p50, isMeasured)} note={isMeasured ? 'of calls that were answered' : unknown} />
        <Tile
          name="p99"
          value={timeOf(p99, isMeasured)}
          note={isMeasured ? (worstP99 === undefined ? undefined : `worst step ${ms(worstP99)}`) : unknown}
        />
        <Tile
          name="Cache hits"
          value={isMeasured ? (cacheAsked === 0 ? 'no data' : percent(cacheHits, cacheAsked)) : '–'}
          note={isMeasured ? `of ${compact(cacheAsked)} asked` : unknown}
        />
        <Tile
          name="Credits"
          value={data.credits === undefined ? '–' : compact(data.credits)}
          note={data.credits === undefined ? 'no usage is kept' : 'from the store'}
        />
        <Tile
          name="Open now"
          value={isMeasured ? count(sockets + streams) : '–'}
          note={isMeasured ? `${count(sockets)} ws, ${count(streams)} sse` : unknown}
        />
      </dl>
      <LiveSummary
        text={`${count(calls)} calls, ${percent(errors, calls)} errors${p99 === undefined ? '' : `, p99 ${ms(p99)}`}${isMeasured ? `, ${perSecond(rate)} now` : ''}.`}
      />
    </>
  )
}

/** Age in ms at which an open call is shown in red. */
const slowMs = 10_000

function oldestOf(open: OverviewData['open']): string {
  if (open?.oldestMs === undefined) return 'none waits'
  return `oldest ${ms(open.oldestMs)}${open.network === undefined ? '' : `, ${open.network}`}`
}

function timeOf(time: number | undefined, isMeasured: boolean): string {
  if (time !== undefined) return ms(time)
  return isMeasured ? 'no data' : '–'
}

function Charts({ data }: { readonly data: OverviewData }): JSX.Element {
  const { at, calls, errors, measured, step, from, to } = data
  const isRate = measured !== undefined
  const series = useMemo(() => {
    const scale = isRate ? 1_000 / step : 1
    const cells = <T,>(pick: (each: NonNullable<typeof measured>[number]) => T): readonly T[] =>
      (measured ?? []).map(pick)
    return {
      traffic: [
        {
          name: 'Calls',
          colour: '--accent',
          values: calls.map((value) => value * scale),
          kind: isRate ? 'area' : 'bars',
        },
        {
          name: 'Errors',
          colour: '--bad',
          values: errors.map((value) => value * scale),
          kind: isRate ? 'area' : 'bars',
        },
      ],
      latency: [
        { name: 'p99', colour: '--warn', values: cells(({ p99 }) => p99 ?? null) },
        { name: 'p50', colour: '--accent', values: cells(({ p50 }) => p50 ?? null) },
      ],
      cache: [
        {
          name: 'Hits',
          colour: '--ok',
          values: cells(({ cacheHits, cacheAsked }) => (cacheAsked === 0 ? null : (cacheHits / cacheAsked) * 100)),
          kind: 'area',
        },
      ],
      open: [
        { name: 'Sockets', colour: '--accent', values: cells(({ sockets }) => sockets), kind: 'steps' },
        { name: 'Event streams', colour: '--warn', values: cells(({ streams }) => streams), kind: 'steps' },
      ],
    } as const
  }, [data])
  const time = { x: at, isTime: true, range: [from, to] as const, formatX: dateTime, sync: 'overview' }
  return (
    <div class="grid">
      <Panel title={isRate ? 'Calls a second' : `Calls by ${step >= 86_400_000 ? 'day' : 'hour'}`}>
        <Chart {...time} label="Calls and errors" series={series.traffic} format={isRate ? perSecond : compact} />
      </Panel>
      {isRate && (
        <>
          <Panel title="Latency">
            <Chart {...time} label="Latency of calls" series={series.latency} format={ms} />
          </Panel>
          <Panel title="Cache hits">
            <Chart
              {...time}
              label="Part of the calls that the cache answered"
              series={series.cache}
              format={(value) => `${Math.round(value)} %`}
              most={100}
            />
          </Panel>
          <Panel title="Open connections">
            <Chart
              {...time}
              label="Open WebSockets and event streams"
              series={series.open}
              format={compact}
              least={4}
            />
          </Panel>
        </>
      )}
    </div>
  )
}
