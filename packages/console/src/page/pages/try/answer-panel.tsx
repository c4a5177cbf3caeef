import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { parse } from '../../api/ask.ts'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Panel } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { bytes, ms } from '../../text/format.ts'
import type { CallAnswer } from './call.ts'
import { pretty } from './pretty.ts'

const mostShown = 200_000

/** The answer to a call, as text. */
export function AnswerPanel({
  answer,
  isBusy,
}: {
  readonly answer: CallAnswer | undefined
  readonly isBusy: boolean
}): JSX.Element {
  const text = useMemo(
    () =>
      answer === undefined
        ? ''
        : answer.text.length > mostShown
          ? answer.text.slice(0, mostShown)
          : pretty(answer.text),
    [answer],
  )
  return (
    <Panel title="Answer" actions={answer !== undefined && <Facts of={answer} />}>
      <div aria-live="polite">
        {answer === undefined ? (
          <Empty title={isBusy ? 'Calling' : 'No answer yet'}>{!isBusy && 'Fill in the form, then call.'}</Empty>
        ) : (
          <>
            <div class="code">
              <pre class="tall" tabIndex={0} aria-label="The answer">
                {text}
              </pre>
              <CopyButton text={answer.text} what="the answer" />
            </div>
            {answer.text.length > mostShown && (
              <p class="muted small">Only the first {bytes(mostShown)} are shown; copying takes all.</p>
            )}
            {answer.traceId !== undefined && (
              <p class="muted small">
                Trace id <code class="break">{answer.traceId}</code>{' '}
                <CopyButton text={answer.traceId} what="the trace id" />
              </p>
            )}
          </>
        )}
      </div>
    </Panel>
  )
}

function Facts({ of: { status, text, ms: took } }: { readonly of: CallAnswer }): JSX.Element {
  const { error } = (parse(text) ?? {}) as { readonly error?: { readonly code?: unknown } }
  const isGood = status === 200 && error === undefined
  return (
    <>
      <Badge tone={isGood ? 'ok' : 'bad'}>
        {error?.code === undefined ? `HTTP ${status}` : `error ${String(error.code)}`}
      </Badge>
      <span class="muted">{ms(took)}</span>
      <span class="muted">{bytes(text.length)}</span>
    </>
  )
}
