import type { BackendCall, IpfsBackend } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'
import type { PinLedger } from '../pin-ledger.ts'
import { readBodyArguments } from './body-arguments.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import type { IpfsAnswer, IpfsHandlerOptions, IpfsProject, IpfsRequest } from './handler.ts'
import type { PinClaims } from './pin-claims.ts'
import { type CommandOptions, type CommandShape, readDuration, readOptions } from './options.ts'
import { answerOf, Refusal, refusal } from './refusal.ts'
import type { Releases } from './releases.ts'
import { createTransfer, type Transfer } from './transfer.ts'

/** What a handler is made of. */
export interface CallServices {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly claims: PinClaims
  readonly releases: Releases
  readonly clock: Clock
  readonly maxRequestBytes: number
  readonly timeoutMs: number
  readonly onError: IpfsHandlerOptions['onError']
}

/** What a command works with. */
export interface Call extends CallServices, Deadline, Transfer {
  readonly options: CommandOptions
  readonly project: IpfsProject
  readonly contentType: string | undefined
  /** What every call of the backend takes. */
  readonly backendCall: BackendCall
}

/** A command of the API. */
export interface Command extends CommandShape {
  readonly run: (call: Call) => Promise<IpfsAnswer>
}

/** Runs a command. Rejects with why it failed before its answer began; what it holds is freed with the end of the answer. */
export async function openCall(services: CallServices, request: IpfsRequest, command: Command): Promise<IpfsAnswer> {
  const transfer = createTransfer(services, request)
  const contentType = request.headers['content-type']
  const more = command.bodyArguments === true ? await readBodyArguments(contentType, transfer.upload) : []
  const options = readOptions(request.query, command, more)
  const deadline = createDeadline({
    clock: services.clock,
    signal: request.signal,
    totalMs: timeoutOf(options),
    waitMs: services.timeoutMs,
  })
  const call: Call = {
    ...services,
    ...deadline,
    ...transfer,
    options,
    project: request.project,
    contentType,
    backendCall: { signal: deadline.signal },
  }
  // A backend may word what it was passed through its streams in its own way.
  const why = (thrown: unknown): unknown => {
    const reason = transfer.refused() ?? deadline.exceeded() ?? thrown
    if (!(reason instanceof IpfsError) && !(reason instanceof Refusal)) services.onError?.(thrown, request)
    return reason
  }
  try {
    const answer = await command.run(call)
    if (typeof answer.body !== 'string') return { ...answer, body: closing(answer.body, why, deadline.end) }
    deadline.end()
    return answer
  } catch (thrown) {
    deadline.end()
    return answerOf(why(thrown))
  }
}

function timeoutOf(options: CommandOptions): number | undefined {
  const text = options.string('timeout')
  if (text === undefined || text === '') return undefined
  const ms = readDuration(text)
  if (ms === undefined)
    throw refusal(400, `could not read the timeout ${JSON.stringify(text.slice(0, 64))}: expected 10s or 1m30s\n`)
  return ms
}

/** Calls `onEnd` once the stream is over, was left, or broke off; also where it was never begun. */
function closing(
  source: AsyncIterator<Uint8Array>,
  why: (thrown: unknown) => unknown,
  onEnd: () => void,
): AsyncIterableIterator<Uint8Array> {
  const stream: AsyncIterableIterator<Uint8Array> = {
    async next() {
      try {
        const step = await source.next()
        if (step.done === true) onEnd()
        return step
      } catch (thrown) {
        const reason = why(thrown)
        onEnd()
        throw reason
      }
    },
    async return() {
      onEnd()
      try {
        await source.return?.()
      } catch (thrown) {
        // Whoever left hears nothing any more, but the service does.
        why(thrown)
      }
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}
