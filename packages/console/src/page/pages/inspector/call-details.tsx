import type { LiveCall } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { admin } from '../../api/admin.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Text } from '../../parts/text.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { hrefOf } from '../../router.ts'
import { dateTime, ms, timeOfDay } from '../../text/format.ts'
import { partOf } from './attempt-bars.ts'
import { Outcome } from './outcome.tsx'

/** All that is known of one call. */
export function CallDetails({
  call,
  onOnly,
}: {
  readonly call: LiveCall
  readonly onOnly: (name: string, value: string) => void
}): JSX.Element {
  const { value, error } = useLoad((signal) => admin.explain(call.id, signal), [call.id])
  const reported = value?.calls.find(({ id }) => id === call.id)
  const attempts = reported !== undefined && reported.attempts.length > 0 ? reported.attempts : (call.attempts ?? [])
  const cause = reported?.cause ?? call.cause

  return (
    <div class="stack">
      <p class="row">
        <Outcome of={call.outcome} />
        <b>{ms(call.ms)}</b>
        <span class="muted">
          {dateTime(call.time)}.{timeOfDay(call.time, 3).split('.')[1]}
        </span>
      </p>
      {cause !== undefined && (
        <p class="break">
          <Text of={cause} />
        </p>
      )}
      <Waterfall attempts={attempts} queuedMs={call.queuedMs} totalMs={call.ms} />
      {reported !== undefined && reported.candidates.length > 0 && (
        <div>
          <h3>Not asked</h3>
          <ul class="reasons">
            {reported.candidates.map(({ upstream, text }) => (
              <li key={upstream}>
                <Text of={text} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {error !== undefined && (
        <p class="muted small">
          No more is remembered of it: <Text of={error.message} />
        </p>
      )}
      <dl class="facts">
        <Fact name="Method" value={call.method} onOnly={() => onOnly('method', call.method!)} />
        <Fact name="Network" value={call.network} onOnly={() => onOnly('network', call.network!)} />
        <Fact
          name="Project"
          value={call.project}
          href={hrefOf('projects', { project: call.project })}
          onOnly={() => onOnly('project', call.project!)}
        />
        <Fact
          name="Key id"
          value={call.keyId}
          href={call.project === undefined ? undefined : hrefOf('projects', { project: call.project, key: call.keyId })}
        />
        <Fact name="Answered by" value={call.upstream} />
        <Fact name="Cache" value={call.cache} />
        <Fact name="Verified" value={reported?.verification} />
        <Fact name="Error" value={call.code === undefined ? undefined : String(call.code)} />
        <Fact name="Waited" value={call.queuedMs === undefined ? undefined : ms(call.queuedMs)} />
        <Fact name="Answer of" value={reported?.sharedWith} />
        <Fact name="Process" value={call.process} />
        <dt>Trace id</dt>
        <dd>
          <code class="break">{call.id}</code> <CopyButton text={call.id} what="the trace id" />
        </dd>
      </dl>
    </div>
  )
}

function Fact(props: {
  readonly name: string
  readonly value: string | undefined
  readonly href?: string | undefined
  readonly onOnly?: () => void
}): JSX.Element | null {
  const { name, value, href, onOnly } = props
  if (value === undefined) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {href === undefined ? (
          <Text of={value} />
        ) : (
          <a href={href}>
            <Text of={value} />
          </a>
        )}
        {onOnly !== undefined && (
          <>
            {' '}
            <button type="button" class="link small" onClick={onOnly}>
              only this<span class="unseen"> {name.toLowerCase()}</span>
            </button>
          </>
        )}
      </dd>
    </>
  )
}

function Waterfall(props: {
  readonly attempts: readonly {
    readonly upstream: string
    readonly atMs: number
    readonly ms?: number | undefined
    readonly isHedge: boolean
    readonly outcome: string
  }[]
  readonly queuedMs: number | undefined
  readonly totalMs: number
}): JSX.Element | null {
  const { attempts, queuedMs, totalMs } = props
  if (attempts.length === 0) return null
  return (
    <div>
      <h3>Attempts over {ms(totalMs)}</h3>
      <div class="waterfall" role="list">
        {queuedMs !== undefined && (
          <Bar
            name="waits for room"
            text={ms(queuedMs)}
            part={{ x: 0, width: Math.max(1, (queuedMs / totalMs) * 100), tone: 'muted' }}
          />
        )}
        {attempts.map((attempt, i) => {
          const { upstream, isHedge, outcome } = attempt
          const text = `${outcome === 'answered' ? '' : `${outcome.replaceAll('_', ' ')}, `}${attempt.ms === undefined ? 'not ended' : ms(attempt.ms)}`
          return (
            <Bar
              key={i}
              name={isHedge ? `${upstream}, beside` : upstream}
              text={text}
              part={partOf(attempt, totalMs)}
            />
          )
        })}
      </div>
    </div>
  )
}

function Bar({
  name,
  text,
  part,
}: {
  readonly name: string
  readonly text: string
  readonly part: ReturnType<typeof partOf>
}): JSX.Element {
  return (
    <div role="listitem" class="waterfall-row">
      <span>
        <Text of={name} />
      </span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="10" class="bar-back" />
        <rect x={part.x} width={part.width} height="10" class={`bar-${part.tone}`} />
      </svg>
      <span class="muted">{text}</span>
    </div>
  )
}
