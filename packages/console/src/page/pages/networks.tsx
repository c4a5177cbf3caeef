import type { NetworkRecord, UpstreamRecord } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import type { Status, UpstreamStatus } from '../api/model.ts'
import { browser } from '../defaults.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { LiveSummary } from '../parts/live-summary.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { announce, reportFailure } from '../parts/toast.tsx'
import { useLoad } from '../parts/use-load.ts'
import { lacks, networks as known } from '../session.ts'
import { count, ms, percent, perSecond, plural } from '../text/format.ts'
import { CordonDialog } from './cordon-dialog.tsx'
import { type FiguresByUpstream, loadFigures, paceOf, type UpstreamPace } from './upstream-figures.ts'

const everyMs = 5_000

/** An upstream with all that is known of it. */
interface Row extends UpstreamRecord {
  readonly network: string
  readonly status: UpstreamStatus | undefined
  readonly breaker: number | undefined
  readonly spent: number | undefined
  readonly pace: UpstreamPace | undefined
}

interface Looked {
  readonly at: number
  readonly networks: readonly NetworkRecord[]
  readonly status: Status
  readonly figures: FiguresByUpstream
}

/** The page of networks and their upstreams. */
export function NetworksPage(): JSX.Element {
  const before = useRef<Looked | undefined>(undefined)
  const latest = useRef<Looked | undefined>(undefined)
  const [toCordon, setToCordon] = useState<Row | undefined>()
  const { value, error, reload } = useLoad(
    async (signal) => {
      const [{ items }, status, figures] = await Promise.all([
        admin.networks(signal),
        admin.status(signal),
        loadFigures(signal).catch(() => new Map()),
      ])
      before.current = latest.current
      latest.current = { at: browser.now(), networks: items, status, figures }
      return latest.current
    },
    [],
    everyMs,
  )

  async function use(row: Row): Promise<void> {
    try {
      await admin.uncordon(row.network, row.name)
      announce(
        `${row.name} of ${row.network} is used again.`,
        () => void leaveAlone(row, row.cordoned ?? 'no reason was given'),
      )
    } catch (thrown) {
      reportFailure(`${row.name} could not be used again`, thrown)
    }
    await reload()
  }

  async function cordon(row: Row, reason: string): Promise<void> {
    await admin.cordon(row.network, row.name, reason)
    announce(`${row.name} of ${row.network} gets no further calls.`, () => void use(row))
    void reload()
  }

  async function leaveAlone(row: Row, reason: string): Promise<void> {
    await cordon(row, reason).catch((thrown) => reportFailure(`${row.name} could not be cordoned`, thrown))
  }

  const down = value?.status.degraded.length ?? 0
  return (
    <>
      <PageHead title="Networks" about="Each network with its upstreams, as this process sees them" />
      {error !== undefined && (
        <Failure what="The networks" error={error} onRetry={reload} isStale={value !== undefined} />
      )}
      {value === undefined ? (
        error === undefined && (
          <Panel title="Networks">
            <Skeleton rows={6} />
          </Panel>
        )
      ) : value.networks.length === 0 ? (
        <Panel title="Networks">
          <Empty title="No network is configured">
            Name one under <code>networks</code> in the configuration, and reload it.
          </Empty>
        </Panel>
      ) : (
        value.networks.map((network) => (
          <NetworkPanel
            key={network.name}
            network={network}
            state={value.status.networks[network.name]?.state}
            rows={rowsOf(network, value, before.current)}
            onCordon={setToCordon}
            onUse={use}
          />
        ))
      )}
      {value !== undefined && (
        <LiveSummary
          text={
            down === 0
              ? 'All networks are well.'
              : `${plural(down, 'part')} degraded: ${value.status.degraded.join(', ')}.`
          }
        />
      )}
      {toCordon !== undefined && (
        <CordonDialog
          network={toCordon.network}
          upstream={toCordon.name}
          isLast={
            !value?.networks
              .find(({ name }) => name === toCordon.network)
              ?.upstreams.some(({ name, isUp }) => isUp && name !== toCordon.name)
          }
          onClose={() => setToCordon(undefined)}
          onCordon={(reason) => cordon(toCordon, reason)}
        />
      )}
    </>
  )
}

function rowsOf({ name: network, upstreams }: NetworkRecord, now: Looked, before: Looked | undefined): readonly Row[] {
  return upstreams.map((upstream) => {
    const key = `${network} ${upstream.name}`
    const figures = now.figures.get(key)
    return {
      ...upstream,
      network,
      status: now.status.networks[network]?.upstreams.find(({ name }) => name === upstream.name),
      breaker: figures?.breaker,
      spent: figures?.spent,
      pace: figures && paceOf(figures, before?.figures.get(key), now.at - (before?.at ?? now.at)),
    }
  })
}

function NetworkPanel(props: {
  readonly network: NetworkRecord
  readonly state: string | undefined
  readonly rows: readonly Row[]
  readonly onCordon: (row: Row) => void
  readonly onUse: (row: Row) => Promise<void>
}): JSX.Element {
  const { network, state, rows, onCordon, onUse } = props
  const { kind, chainId } = known.value.find(({ name }) => name === network.name) ?? {}
  const reason = lacks('networks')
  const hasBudget = rows.some(({ spent }) => spent !== undefined)
  return (
    <Panel
      isFlush
      title={<Text of={network.name} />}
      about={
        <>
          {kind} {chainId !== undefined && `· chain ${chainId}`}
        </>
      }
      actions={<Badge tone={state === 'ok' ? 'ok' : state === 'down' ? 'bad' : 'warn'}>{state ?? 'unknown'}</Badge>}
    >
      <Table
        caption={`Upstreams of ${network.name}`}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Upstream', render: ({ name }) => <Text of={name} /> },
          { name: 'State', isWide: true, render: (row) => <State row={row} /> },
          { name: 'Head', isNumber: true, render: ({ head }) => (head === undefined ? '–' : count(head)) },
          { name: 'Lag', isNumber: true, render: ({ lag }) => <Lag of={lag} /> },
          {
            name: 'Calls',
            isNumber: true,
            render: ({ pace }) => (pace?.callsPerSecond === undefined ? '–' : perSecond(pace.callsPerSecond)),
          },
          { name: 'Mean', isNumber: true, render: ({ pace }) => (pace?.meanMs === undefined ? '–' : ms(pace.meanMs)) },
          {
            name: 'Failed',
            isNumber: true,
            render: ({ pace }) => (pace?.failed === undefined ? '–' : percent(pace.failed, 1)),
          },
          { name: 'Circuit', render: ({ breaker }) => <Circuit at={breaker} /> },
          ...(hasBudget
            ? [
                {
                  name: 'Budget today',
                  isNumber: true,
                  render: ({ spent }: Row) => (spent === undefined ? '–' : percent(spent, 1)),
                },
              ]
            : []),
          {
            name: 'Actions',
            isNameless: true,
            render: (row) =>
              row.cordoned === undefined ? (
                <Button
                  kind="quiet"
                  reason={reason}
                  label={`Cordon ${row.name} of ${network.name}`}
                  onClick={() => onCordon(row)}
                >
                  Cordon
                </Button>
              ) : (
                <Button
                  kind="quiet"
                  reason={reason}
                  label={`Use again: ${row.name} of ${network.name}`}
                  onClick={() => onUse(row)}
                >
                  Use again
                </Button>
              ),
          },
        ]}
      />
    </Panel>
  )
}

function State({ row: { isUp, cordoned, reason, status } }: { readonly row: Row }): JSX.Element {
  const why = cordoned ?? reason
  return (
    <>
      <Badge tone={cordoned !== undefined ? 'plain' : isUp ? (status?.out === undefined ? 'ok' : 'warn') : 'bad'}>
        {cordoned !== undefined
          ? 'cordoned'
          : isUp
            ? (status?.out?.replaceAll('_', ' ') ?? 'up')
            : (status?.out?.replaceAll('_', ' ') ?? 'down')}
      </Badge>
      {why !== undefined && (
        <div class="muted small reason">
          <Text of={why} />
        </div>
      )}
    </>
  )
}

function Lag({ of }: { readonly of: number | undefined }): JSX.Element {
  if (of === undefined) return <>–</>
  return of > 2 ? <span class="warn-text">{count(of)}</span> : <>{count(of)}</>
}

function Circuit({ at }: { readonly at: number | undefined }): JSX.Element {
  if (at === undefined) return <>–</>
  return at === 0 ? (
    <span class="muted">closed</span>
  ) : (
    <Badge tone={at === 1 ? 'bad' : 'warn'}>{at === 1 ? 'open' : 'half open'}</Badge>
  )
}
