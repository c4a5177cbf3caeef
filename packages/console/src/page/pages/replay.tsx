import type { RefusedCalls, ReplayNetworkRecord, ReplayRecord, ReplaySide } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { asConsoleError, type ConsoleError } from '../api/console-error.ts'
import { Bar } from '../parts/bar.tsx'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { PagedTable } from '../parts/paged-table.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { count, ms, plural, timeOfDay } from '../text/format.ts'

interface State {
  readonly value?: ReplayRecord | undefined
  readonly error?: ConsoleError | undefined
  readonly isBusy: boolean
}

/** The page that replays the last calls against the configuration file. */
export function ReplayPage(): JSX.Element {
  const [{ value, error, isBusy }, setState] = useState<State>({ isBusy: false })

  async function run(): Promise<void> {
    setState((before) => ({ value: before.value, isBusy: true }))
    try {
      setState({ value: await admin.replay(), isBusy: false })
    } catch (thrown) {
      setState((before) => ({ value: before.value, error: asConsoleError(thrown), isBusy: false }))
    }
  }

  return (
    <>
      <PageHead title="Policy replay" about="What a changed configuration file would do to the last calls">
        <Button kind="primary" icon="play" isBusy={isBusy} onClick={run}>
          Replay
        </Button>
      </PageHead>
      {error !== undefined && <Failure what="The replay" error={error} onRetry={run} isStale={value !== undefined} />}
      <div class="stack" aria-live="polite">
        {value === undefined ? isBusy ? <Skeleton rows={6} /> : <Before /> : <After of={value} />}
      </div>
    </>
  )
}

function Before(): JSX.Element {
  return (
    <Panel title="Before you reload">
      <Empty title="Nothing was replayed yet">
        Change the configuration file, then press Replay. The last calls are made again on a virtual clock, under the
        configuration that serves and under the file. No node is asked, and nothing changes.
      </Empty>
    </Panel>
  )
}

function After({ of }: { readonly of: ReplayRecord }): JSX.Element {
  const { calls, from, to, changes, needsRestart, problems, refused, networks } = of
  if (problems.length > 0) {
    return (
      <Notice kind="bad">
        <strong>The file cannot be served, so nothing was replayed.</strong>
        <Sentences of={problems} />
      </Notice>
    )
  }
  return (
    <>
      {needsRestart.length > 0 && (
        <Notice kind="warn">
          A reload would be refused: only a restart can change <Text of={needsRestart.join(', ')} />.
        </Notice>
      )}
      <Panel title="Changes" about="The file against the configuration that serves">
        {changes.length === 0 ? <p>The file says what is served already.</p> : <Sentences of={changes} />}
        <p class="about">
          {from === undefined || to === undefined
            ? 'No call is remembered: make some, then replay them.'
            : `${plural(calls, 'call')}, begun from ${timeOfDay(from)} to ${timeOfDay(to)}. Limits are not replayed, as they depend on what was spent before.`}
        </p>
      </Panel>
      {refused.length > 0 && <Refused of={refused} />}
      <div class="columns">
        {networks.map((network) => (
          <Network key={network.name} of={network} />
        ))}
      </div>
    </>
  )
}

function Sentences({ of }: { readonly of: readonly string[] }): JSX.Element {
  return (
    <ul>
      {of.map((sentence) => (
        <li key={sentence}>
          <Text of={sentence} />
        </li>
      ))}
    </ul>
  )
}

const reasons: Readonly<Record<RefusedCalls['reason'], string>> = {
  network: 'the network is not there',
  project: 'the project is not there',
  project_network: 'the project may not use the network',
  key: 'the key is not there',
  method: 'the method is not allowed',
}

function Refused({ of }: { readonly of: readonly RefusedCalls[] }): JSX.Element {
  return (
    <Panel title="Would be refused" about="Calls that pass today" isFlush>
      <PagedTable
        what="refused calls"
        caption="Calls that would be refused"
        isSmall
        rows={of}
        keyOf={({ reason, what }) => `${reason} ${what}`}
        columns={[
          {
            name: 'Why',
            render: ({ reason, what }) => (
              <>
                <Text of={what} />: {reasons[reason]}
              </>
            ),
          },
          { name: 'Calls', isNumber: true, render: ({ calls }) => count(calls) },
        ]}
      />
    </Panel>
  )
}

interface Row {
  readonly name: string
  readonly present: string
  readonly changed: string
  /** Parts of the calls of each side, for the eye. */
  readonly parts?: readonly [number, number] | undefined
}

function Network({ of: { name, present, changed } }: { readonly of: ReplayNetworkRecord }): JSX.Element {
  const both = [present, changed]
  const row = (title: string, print: (side: ReplaySide) => string): Row => {
    const [before = '–', after = '–'] = both.map((side) => side && print(side))
    return { name: title, present: before, changed: after }
  }
  const names = [...new Set(both.flatMap((side) => side?.upstreams.map((upstream) => upstream.name) ?? []))]
  const upstreams = names.map((upstream): Row => {
    const [before, after] = both.map((side) => side?.upstreams.find((each) => each.name === upstream))
    const print = (found: typeof before): string =>
      found === undefined
        ? '–'
        : count(found.asked) + (found.units === undefined ? '' : ` (${plural(found.units, 'unit')})`)
    return {
      name: upstream,
      present: print(before),
      changed: print(after),
      parts: [before?.asked ?? 0, after?.asked ?? 0],
    }
  })
  const most = Math.max(...upstreams.flatMap(({ parts }) => parts ?? []))
  const time = (value: number | undefined): string => (value === undefined ? '–' : ms(value))
  const faults = (changed?.policyFaults ?? 0) > 0
  return (
    <Panel title={<Text of={name} />} about="Calls that went to upstreams" isFlush>
      {faults && (
        <Notice kind="bad">
          The policy failed {plural(changed!.policyFaults, 'time')}, and the default one decided
          {changed!.thrown === undefined ? '' : ': '}
          <Text of={changed!.thrown ?? ''} />
        </Notice>
      )}
      <Table
        caption={`Replay of ${name}`}
        isSmall
        rows={[
          ...upstreams,
          row('Unanswered', ({ failed, calls }) => `${count(failed)} of ${count(calls)}`),
          row('Median', ({ p50Ms }) => time(p50Ms)),
          row('95th percentile', ({ p95Ms }) => time(p95Ms)),
          row('A choice takes', ({ decisionUs }) => `${decisionUs} µs`),
        ]}
        keyOf={(each) => each.name}
        columns={[
          {
            name: 'Asked',
            render: (each) => (
              <>
                <Text of={each.name} />
                {each.parts !== undefined && (
                  <Bar part={changed === undefined ? each.parts[0] : each.parts[1]} of={most} />
                )}
              </>
            ),
          },
          { name: 'As it serves', isNumber: true, render: (each) => each.present },
          { name: 'By the file', isNumber: true, render: (each) => each.changed },
        ]}
      />
    </Panel>
  )
}
