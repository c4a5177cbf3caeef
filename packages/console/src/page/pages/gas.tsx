import type { GasHistory } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { Chart } from '../parts/chart.tsx'
import { LiveSummary } from '../parts/live-summary.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { Tile } from '../parts/tile.tsx'
import { useLoad } from '../parts/use-load.ts'
import { hrefOf, query } from '../router.ts'
import { session } from '../session.ts'
import { count, dateTime, percent, plural, span } from '../text/format.ts'
import { visible } from '../text/visible.ts'

const everyMs = 6_000
const levels = ['low', 'medium', 'high'] as const

/** The page of gas fees. */
export function GasPage(): JSX.Element {
  const { value, error, reload } = useLoad((signal) => admin.gas(signal), [], 30_000)
  const followed = value?.items ?? []
  const chosen = query.value.get('network') ?? followed[0]?.network
  return (
    <>
      <PageHead title="Gas fees" about="What the gateway suggests, and whether it kept what it promised" />
      {error !== undefined && <Failure what="Gas fees" error={error} onRetry={reload} isStale={value !== undefined} />}
      {value === undefined ? (
        error === undefined && (
          <Panel title="Suggestions">
            <Skeleton rows={6} />
          </Panel>
        )
      ) : followed.length === 0 ? (
        <NobodyAsks />
      ) : (
        <>
          {followed.length > 1 && (
            <nav class="tabs" aria-label="Networks">
              {followed.map(({ network }) => (
                <a
                  key={network}
                  href={hrefOf('gas', { network })}
                  aria-current={network === chosen ? 'page' : undefined}
                >
                  <Text of={network} />
                </a>
              ))}
            </nav>
          )}
          {chosen !== undefined && <Network key={chosen} name={chosen} />}
        </>
      )}
    </>
  )
}

function NobodyAsks(): JSX.Element {
  const { rpc = '', networks = [] } = session.value ?? {}
  const { chainId = 1 } = networks.find((network) => typeof network.chainId === 'number') ?? {}
  return (
    <Panel title="Suggestions">
      <Empty title="Nobody has asked for gas fees of late">
        <span>
          Fees of a network are followed from the first question on, and for five minutes after the last one. Ask once,
          then look again:
        </span>
        <code class="break">
          curl {rpc}/v3/&lt;key&gt;/networks/{chainId}/suggestedGasFees
        </code>
      </Empty>
    </Panel>
  )
}

function Network({ name }: { readonly name: string }): JSX.Element {
  const { value, error, isLoading, reload } = useLoad((signal) => admin.gasOf(name, signal), [name], everyMs)
  if (value === undefined) {
    if (error?.status === 404) return <NobodyAsks />
    return error === undefined ? (
      <Skeleton rows={8} />
    ) : (
      <Failure what={`Gas fees of ${visible(name)}`} error={error} onRetry={reload} />
    )
  }
  return (
    <div class={`stack ${isLoading ? 'dim' : ''}`}>
      {error !== undefined && <Failure what="Gas fees" error={error} onRetry={reload} isStale />}
      <Suggestion of={value} />
      <History of={value} />
      <Promises of={value} />
    </div>
  )
}

function Suggestion({ of: { suggested, blockNumber, ageMs } }: { readonly of: GasHistory }): JSX.Element {
  return (
    <>
      <dl class="tiles">
        {levels.map((level) => {
          const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas, maxWaitTimeEstimate } = suggested[level]
          return (
            <Tile
              key={level}
              name={`${level[0]!.toUpperCase()}${level.slice(1)}, within ${span(maxWaitTimeEstimate)}`}
              value={gwei(suggestedMaxFeePerGas)}
              note={`${gwei(suggestedMaxPriorityFeePerGas)} of it as tip`}
            />
          )
        })}
        <Tile name="Next base fee" value={gwei(suggested.estimatedBaseFee)} note={trendText(suggested.baseFeeTrend)} />
        <Tile name="Congestion" value={percent(suggested.networkCongestion, 1)} note="0 % is calm" />
        <Tile name="Block" value={count(blockNumber)} note={ageMs < 1_500 ? 'true now' : `true ${span(ageMs)} ago`} />
      </dl>
      <LiveSummary text={`Block ${count(blockNumber)}: medium fee ${gwei(suggested.medium.suggestedMaxFeePerGas)}.`} />
    </>
  )
}

function trendText(trend: 'up' | 'down' | 'level'): string {
  return trend === 'level' ? 'steady' : trend === 'up' ? 'rising' : 'falling'
}

/** Prints gwei in four digits or so. */
function gwei(text: string): string {
  const value = Number(text)
  if (value === 0) return '0 gwei'
  if (value < 0.001) return plural(Math.round(value * 1e9), 'wei', 'wei')
  return `${value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(2)} gwei`
}

function History({ of: { history } }: { readonly of: GasHistory }): JSX.Element {
  const lines = useMemo(() => {
    const of = (pick: (block: GasHistory['history'][number]) => string): readonly number[] =>
      history.map((block) => Number(pick(block)))
    return {
      x: history.map(({ blockNumber }) => blockNumber),
      series: [
        { name: 'High', colour: '--warn', values: of(({ high }) => high), fillTo: 'Medium' },
        { name: 'Medium', colour: '--accent', values: of(({ medium }) => medium), fillTo: 'Low' },
        { name: 'Low', colour: '--ok', values: of(({ low }) => low) },
        { name: 'Base fee', colour: '--muted', values: of(({ baseFee }) => baseFee), isDashed: true },
      ],
    } as const
  }, [history])
  return (
    <Panel title="Max fee suggested at each block" about={`the last ${plural(history.length, 'block')}, in gwei`}>
      {history.length < 2 ? (
        <Empty title="There are no blocks yet">Each block adds a point.</Empty>
      ) : (
        <Chart
          label="Suggested fees and base fee by block"
          x={lines.x}
          series={lines.series}
          format={(value) => `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)}`}
          formatX={(block) => `Block ${count(block)}`}
          height={288}
          isFloating
        />
      )}
    </Panel>
  )
}

function Promises({ of: { promises, since } }: { readonly of: GasHistory }): JSX.Element {
  return (
    <Panel
      title="Promises"
      about={promises === undefined ? undefined : `judged by the blocks since ${dateTime(since)}`}
      isFlush
    >
      {promises === undefined ? (
        <Empty title="This strategy promises nothing">
          <span>
            The strategy <code>wayleave</code> says within how many blocks an offer gets in, and how surely.
          </span>
        </Empty>
      ) : (
        <Table
          caption="Promises by level"
          rows={levels.map((level) => ({ level, ...promises[level] }))}
          keyOf={({ level }) => level}
          columns={[
            { name: 'Level', render: ({ level }) => level[0]!.toUpperCase() + level.slice(1) },
            {
              name: 'Promise',
              isWide: true,
              render: ({ withinBlocks, probability }) =>
                `${percent(probability, 1)} get in within ${plural(withinBlocks, 'block')}`,
            },
            {
              name: 'Kept so far',
              isNumber: true,
              render: ({ kept, broken, probability }) => {
                const all = kept + broken
                const isWorse = all > 0 && kept / all < probability
                return <b class={isWorse ? 'warn-text' : undefined}>{all === 0 ? '–' : percent(kept, all)}</b>
              },
            },
            { name: 'Kept', isNumber: true, render: ({ kept }) => count(kept) },
            { name: 'Broken', isNumber: true, render: ({ broken }) => count(broken) },
            { name: 'Open', isNumber: true, render: ({ pending }) => count(pending) },
          ]}
        />
      )}
    </Panel>
  )
}
