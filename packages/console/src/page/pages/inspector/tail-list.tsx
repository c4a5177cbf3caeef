import type { LiveCall } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Text } from '../../parts/text.tsx'
import { ms, timeOfDay } from '../../text/format.ts'
import { barOf } from './attempt-bars.ts'
import { Outcome } from './outcome.tsx'

const rowHeight = 28
const rowsAround = 6

export interface TailListProps {
  readonly total: number
  readonly at: (i: number) => LiveCall | undefined
  readonly selected: string | undefined
  readonly onSelect: (call: LiveCall) => void
  /** Called when the list is to stand still, since somebody looks at it closely, and when it may go on. */
  readonly onAway: (isAway: boolean) => void
}

/** A long list of calls, of which only those in sight are in the document. */
export function TailList({ total, at, selected, onSelect, onAway }: TailListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const [active, setActive] = useState(-1)
  const [isUnderPointer, setUnderPointer] = useState(false)
  const isAway = isUnderPointer || active >= 0 || view.top > rowHeight / 2
  const isChosen = selected !== undefined

  // A row must not move away from under the hand that is about to choose it.
  useEffect(() => onAway(isAway), [isAway])
  useEffect(() => {
    if (!isChosen) setActive(-1)
  }, [isChosen])

  useEffect(() => {
    const element = box.current!
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  function scrolled(): void {
    const { scrollTop, clientHeight } = box.current!
    setView({ top: scrollTop, height: clientHeight })
  }

  function move(to: number): void {
    const next = Math.max(0, Math.min(total - 1, to))
    setActive(next)
    const element = box.current!
    const top = next * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + 3 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + 3 * rowHeight - element.clientHeight
  }

  function pressed(event: KeyboardEvent): void {
    const page = Math.floor(view.height / rowHeight) - 2
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    }
    const to = steps[event.key]
    const call = at(active)
    if (to !== undefined) move(to)
    else if ((event.key === 'Enter' || event.key === ' ') && call !== undefined) onSelect(call)
    else if (event.key === 'Escape' && active >= 0) {
      setActive(-1)
      box.current!.scrollTop = 0
    } else return
    event.preventDefault()
  }

  const first = Math.max(0, Math.floor(view.top / rowHeight) - rowsAround)
  const last = Math.min(total, Math.ceil((view.top + view.height) / rowHeight) + rowsAround)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => ({ i: first + i, call: at(first + i) }))
  const isActiveShown = active >= first && active < last

  return (
    <div
      ref={box}
      class="tail"
      role="grid"
      tabIndex={0}
      aria-label="Calls, the newest first. Arrow keys choose one, Enter shows it, Escape goes on."
      aria-rowcount={total + 1}
      aria-activedescendant={isActiveShown ? `call-${active}` : undefined}
      onScroll={scrolled}
      onMouseEnter={() => setUnderPointer(true)}
      onMouseLeave={() => setUnderPointer(false)}
      onKeyDown={pressed}
    >
      <div class="tail-head" role="row" aria-rowindex={1}>
        {['Time', 'Outcome', 'Method', 'Network', 'Project', 'Answered by', 'Took'].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      <Space height={total * rowHeight} />
      {rows.map(({ i, call }) =>
        call === undefined ? null : (
          <Row
            key={i}
            i={i}
            call={call}
            isActive={i === active || call.id === selected}
            onClick={() => {
              setActive(i)
              onSelect(call)
            }}
          />
        ),
      )}
    </div>
  )
}

function Space({ height }: { readonly height: number }): JSX.Element {
  // Set by script, as the policy of the page refuses the attribute.
  return <div class="tail-space" role="presentation" style={{ height: `${height}px` }} />
}

function Row(props: {
  readonly i: number
  readonly call: LiveCall
  readonly isActive: boolean
  readonly onClick: () => void
}): JSX.Element {
  const { i, call, isActive, onClick } = props
  return (
    <div
      id={`call-${i}`}
      class={isActive ? 'tail-row active' : 'tail-row'}
      role="row"
      aria-rowindex={i + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${i * rowHeight}px)` }}
      onClick={onClick}
    >
      <span role="gridcell">{timeOfDay(call.time, 3)}</span>
      <span role="gridcell">
        <Outcome of={call.outcome} />
      </span>
      <span role="gridcell">{call.method === undefined ? '–' : <Text of={call.method} />}</span>
      <span role="gridcell">{call.network === undefined ? '–' : <Text of={call.network} />}</span>
      <span role="gridcell">{call.project === undefined ? '–' : <Text of={call.project} />}</span>
      <span role="gridcell" class={call.upstream === undefined ? 'muted' : undefined}>
        {call.upstream !== undefined ? <Text of={call.upstream} /> : call.cache === 'hit' ? 'cache' : 'gateway'}
      </span>
      <span role="gridcell" class="took">
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          {barOf(call).map(({ x, width, tone }, part) => (
            <rect key={part} x={x} width={width} height={6} class={`bar-${tone}`} />
          ))}
        </svg>
        {ms(call.ms)}
      </span>
    </div>
  )
}
