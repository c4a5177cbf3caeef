import type { LiveCall } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { browser } from '../defaults.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { LiveSummary } from '../parts/live-summary.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Notice } from '../parts/notice.tsx'
import { query, setQuery } from '../router.ts'
import { lacks } from '../session.ts'
import { count, perSecond, plural, span } from '../text/format.ts'
import { CallDetails } from './inspector/call-details.tsx'
import { Filters } from './inspector/filters.tsx'
import { keyOf, LiveTail, mostCalls, type TailState, type Wanted } from './inspector/live-tail.ts'
import { TailList } from './inspector/tail-list.tsx'

const names = ['network', 'project', 'method', 'outcome', 'minMs'] as const
const wide = matchMedia('(min-width: 1180px)')

/** The page that shows calls as they end. */
export function InspectorPage(): JSX.Element {
  const reason = lacks('read')
  if (reason !== undefined) {
    return (
      <>
        <PageHead title="Inspector" />
        <Empty title="Calls cannot be watched">{reason}</Empty>
      </>
    )
  }
  return <Inspector />
}

function Inspector(): JSX.Element {
  const wanted: Wanted = Object.fromEntries(names.map((name) => [name, query.value.get(name) ?? undefined]))
  const asked = JSON.stringify(wanted)
  const [tail, setTail] = useState<LiveTail | undefined>()
  const [held, setHeld] = useState<readonly LiveCall[] | undefined>()
  const [isPaused, setPaused] = useState(false)
  const [call, setCall] = useState<LiveCall | undefined>()
  const [isWide, setWide] = useState(wide.matches)

  useEffect(() => {
    const opened = new LiveTail(wanted)
    setTail(opened)
    setHeld(undefined)
    setPaused(false)
    return () => opened.close()
  }, [asked])
  useEffect(() => {
    const look = (): void => setWide(wide.matches)
    wide.addEventListener('change', look)
    return () => wide.removeEventListener('change', look)
  }, [])

  function hold(isHeld: boolean): void {
    if (isHeld && held === undefined) setHeld(tail?.newest() ?? [])
    else if (!isHeld && !isPaused) setHeld(undefined)
  }
  function pause(): void {
    setPaused(!isPaused)
    setHeld(isPaused ? undefined : (tail?.newest() ?? []))
  }
  const only = (name: string, value: string): void => setQuery({ [name]: value })
  const close = (): void => setCall(undefined)

  return (
    <>
      <PageHead title="Inspector" about="Calls as they end, without their params, keys and answers">
        <Button icon={isPaused ? 'play' : 'pause'} onClick={pause}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button
          onClick={() => {
            tail?.clear()
            setHeld(isPaused ? [] : undefined)
          }}
        >
          Clear
        </Button>
      </PageHead>
      <Filters />
      {tail !== undefined && (
        <div class={call !== undefined && isWide ? 'live with-details' : 'live'}>
          <Tail tail={tail} held={held} selected={call?.id} onSelect={setCall} onHold={hold} isPaused={isPaused} />
          {call !== undefined && isWide && (
            <aside class="details" aria-label="The chosen call">
              <Panel
                title="Call"
                actions={
                  <Button kind="quiet" onClick={close}>
                    Close
                  </Button>
                }
              >
                <CallDetails key={keyOf(call)} call={call} onOnly={only} />
              </Panel>
            </aside>
          )}
        </div>
      )}
      {call !== undefined && !isWide && (
        <Dialog title="Call" onClose={close}>
          <CallDetails key={keyOf(call)} call={call} onOnly={only} />
        </Dialog>
      )}
    </>
  )
}

function Tail(props: {
  readonly tail: LiveTail
  /** The calls that stand still while the reader looks at them; undefined: those of now. */
  readonly held: readonly LiveCall[] | undefined
  readonly selected: string | undefined
  readonly onSelect: (call: LiveCall) => void
  readonly onHold: (isHeld: boolean) => void
  readonly isPaused: boolean
}): JSX.Element {
  const { tail, held, selected, onSelect, onHold, isPaused } = props
  void tail.version.value
  const heldAt = useRef(0)
  useEffect(() => {
    heldAt.current = tail.received
  }, [held])
  const at = useMemo(() => (held === undefined ? (i: number) => tail.at(i) : (i: number) => held[i]), [tail, held])
  const total = held?.length ?? tail.size
  const more = held === undefined ? 0 : tail.received - heldAt.current
  const { value: state } = tail.state

  return (
    <Panel title="Calls" isFlush actions={<Connection state={state} isPaused={isPaused} isHeld={held !== undefined} />}>
      {state.kind === 'waiting' && (
        <Notice kind="warn">
          {state.error.status === 503 ? 'As many as may be are watching already.' : state.error.message} Trying again in{' '}
          {span(state.ms)}.
        </Notice>
      )}
      {total === 0 && held === undefined ? (
        <div class="tail-empty">
          <Empty title={state.kind === 'live' ? 'Waiting for calls' : 'Connecting'}>
            {state.kind === 'live' &&
              'A call appears here when it has ended. Send one from “Try it”, or widen the filters.'}
          </Empty>
        </div>
      ) : (
        <TailList total={total} at={at} selected={selected} onSelect={onSelect} onAway={onHold} />
      )}
      <div class="tail-foot">
        <span>
          <Rate tail={tail} />
        </span>
        <span>
          {count(total)} of at most {count(mostCalls)} kept
        </span>
        {more > 0 && (
          <span>
            {plural(more, 'newer call')}
            {isPaused ? ': resume to see them' : selected !== undefined ? ': close the chosen one to see them' : ''}
          </span>
        )}
        {tail.dropped > 0 && (
          <span title="More calls end than one page can show: narrow the filters">
            {plural(tail.dropped, 'call')} left out
          </span>
        )}
      </div>
      <LiveSummary text={`${perSecond(tail.rate())} calls; ${count(total)} are shown.`} />
    </Panel>
  )
}

function Rate({ tail }: { readonly tail: LiveTail }): JSX.Element {
  const [rate, setRate] = useState(0)
  useEffect(() => {
    let cancel = browser.after(1_000, again)
    function again(): void {
      setRate(tail.rate())
      cancel = browser.after(1_000, again)
    }
    return () => cancel()
  }, [tail])
  return <>{perSecond(rate)}</>
}

function Connection(props: {
  readonly state: TailState
  readonly isPaused: boolean
  readonly isHeld: boolean
}): JSX.Element {
  const { state, isPaused, isHeld } = props
  if (isPaused) return <Badge tone="plain">paused</Badge>
  if (state.kind === 'waiting') return <Badge tone="bad">not connected</Badge>
  if (state.kind === 'connecting') return <Badge tone="plain">connecting</Badge>
  return isHeld ? <Badge tone="accent">standing still</Badge> : <Badge tone="ok">live</Badge>
}
