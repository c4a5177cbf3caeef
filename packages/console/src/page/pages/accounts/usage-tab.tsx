import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { admin } from '../../api/admin.ts'
import { browser } from '../../defaults.ts'
import { Bar } from '../../parts/bar.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Panel } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { RangeSwitch } from '../../parts/range-switch.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { rangeAmong, ranges } from '../../range.ts'
import { hrefOf } from '../../router.ts'
import { lacks } from '../../session.ts'
import { compact, count, dateTime, percent } from '../../text/format.ts'

/** The store keeps sums of minutes, of which a quarter of an hour has few. */
const offered = ranges.slice(1)
/** The most sums that are asked for. */
const mostRows = 10_000
const periodMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

export function UsageTab({ project, keyId }: { readonly project: string; readonly keyId?: string }): JSX.Element {
  const reason = lacks('read', 'usage')
  if (reason !== undefined) return <Empty title="Usage cannot be read">{reason}</Empty>
  return <Usage project={project} keyId={keyId} />
}

function Usage({ project, keyId }: { readonly project: string; readonly keyId: string | undefined }): JSX.Element {
  const { name, ms, period } = rangeAmong(offered)
  const where = { project, ...(keyId !== undefined && { key: keyId }) }
  const { value, error, isLoading, reload } = useLoad(
    async (signal) => {
      const to = browser.now()
      const common = { ...where, from: to - ms, to, period, limit: mostRows }
      const [byTime, byMethod, byKey] = await Promise.all([
        admin.usage({ ...common, by: ['at', 'status'] }, signal),
        admin.usage({ ...common, by: ['method'] }, signal),
        keyId === undefined ? admin.usage({ ...common, by: ['key'] }, signal) : undefined,
      ])
      return { byTime, byMethod, byKey }
    },
    [name, project, keyId],
    60_000,
  )
  const lines = useMemo(() => value && linesOf(value.byTime, periodMs[period]), [value])
  const calls = value?.byMethod.items.reduce((sum, each) => sum + each.calls, 0) ?? 0
  const credits = value?.byMethod.items.reduce((sum, each) => sum + each.credits, 0) ?? 0

  return (
    <>
      {error !== undefined && <Failure what="Usage" error={error} onRetry={reload} isStale={value !== undefined} />}
      <Panel
        title={value === undefined ? 'Usage' : `${compact(calls)} calls, ${compact(credits)} credits`}
        about={`Sums of the store by ${period}, UTC`}
        actions={<RangeSwitch only={offered} />}
      >
        {lines === undefined ? (
          error === undefined && <Skeleton rows={5} />
        ) : calls === 0 ? (
          <Empty title="No calls in this time">
            Choose a longer range, or call with one of its keys: usage comes within seconds.
          </Empty>
        ) : (
          <div class={isLoading ? 'dim' : ''}>
            <Chart
              label="Calls by status"
              x={lines.at}
              isTime
              range={[lines.from, lines.to]}
              formatX={dateTime}
              format={compact}
              series={lines.series}
            />
          </div>
        )}
      </Panel>
      {value !== undefined && calls > 0 && (
        <div class="columns">
          <SumPanel
            title="Methods"
            by="method"
            items={value.byMethod.items}
            all={calls}
            isComplete={value.byMethod.complete}
          />
          {value.byKey !== undefined && (
            <SumPanel
              title="Keys"
              by="key"
              items={value.byKey.items}
              all={calls}
              isComplete={value.byKey.complete}
              project={project}
            />
          )}
        </div>
      )}
    </>
  )
}

type Sums = Awaited<ReturnType<typeof admin.usage>>

function linesOf({ items, from, to }: Sums, step: number) {
  const at = Array.from({ length: Math.max(1, Math.ceil((to - from) / step)) }, (_, i) => from + i * step)
  const [good, refused, failed] = [at.map(() => 0), at.map(() => 0), at.map(() => 0)] as const
  for (const { at: start = from, status = '', calls } of items) {
    const i = Math.floor((start - from) / step)
    const line = status.startsWith('5') ? failed : status.startsWith('4') ? refused : good
    if (line[i] !== undefined) line[i] += calls
  }
  return {
    at,
    from,
    to: from + at.length * step,
    series: [
      { name: 'Answered', colour: '--accent', values: good, kind: 'bars' },
      { name: 'Refused (4xx)', colour: '--warn', values: refused, kind: 'line' },
      { name: 'Failed (5xx)', colour: '--bad', values: failed, kind: 'line' },
    ],
  } as const
}

function SumPanel(props: {
  readonly title: string
  readonly by: 'method' | 'key'
  readonly items: Sums['items']
  readonly all: number
  readonly isComplete: boolean
  readonly project?: string
}): JSX.Element {
  const { title, by, items, all, isComplete, project } = props
  const rows = items.toSorted((a, b) => b.calls - a.calls)
  return (
    <Panel title={`By ${by}`} about={isComplete ? undefined : `the first ${count(mostRows)}`} isFlush>
      <PagedTable
        what={`${by}s`}
        caption={`Usage by ${by}`}
        isSmall
        rows={rows}
        keyOf={(row) => row[by] ?? ''}
        columns={[
          {
            name: title.slice(0, -1),
            render: (row) => (
              <>
                {by === 'key' && project !== undefined && row.key !== '' ? (
                  <a class="mono" href={hrefOf('projects', { project, key: row.key })}>
                    {row.key}
                  </a>
                ) : (
                  <Text of={row[by] === '' ? 'none' : (row[by] ?? '')} />
                )}
                <Bar part={row.calls} of={rows[0]!.calls} />
              </>
            ),
          },
          { name: 'Calls', isNumber: true, render: ({ calls }) => count(calls) },
          { name: 'Part', isNumber: true, render: ({ calls }) => percent(calls, all) },
          { name: 'Credits', isNumber: true, render: ({ credits }) => compact(credits) },
        ]}
      />
    </Panel>
  )
}
