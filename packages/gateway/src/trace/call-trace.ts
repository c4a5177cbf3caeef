import type { RpcContext } from '@wayleave/jsonrpc-core'
import type { RequestSpan } from './request-span.ts'

/**
 * The events of a call on its way: it enters and passes the cache, joins one in flight, waits for an upstream with room, asks one, or one
 * beside another (`hedged`), and hears of it; or the gateway refuses it, and says why (`because`).
 */
export type MarkKind =
  | 'entered'
  | 'passed'
  | 'joined'
  | 'queued'
  | 'asked'
  | 'hedged'
  | 'answered'
  | 'failed'
  | 'because'

/** One event of a call. */
export interface Mark {
  readonly kind: MarkKind
  /** The clock, in ms; `answered`, `failed`: the time since the attempt began; `queued`: that of the wait. */
  readonly ms: number
  /** The upstream, or the reason of `because`. */
  readonly name: string
  /** The kind of a failure, with the words of this host after a line break. */
  readonly why: string | undefined
}

/** Members of a mark in the flat array. */
const width = 4
/** Most marks of a call: one in hundreds of segments tells of the first ones. */
const mostMarks = 64

/** The caller of a call, and its place. All are short, and none holds a piece of a request. */
export interface CallOrigin {
  /** The id that its caller was given: the trace id, with a suffix for calls of a batch and over a WebSocket. */
  readonly id: string
  readonly network: string
  readonly method: string
  /** Whether the method is one that the network knows; others are words of callers. */
  readonly isKnown: boolean
  readonly project: string
  readonly keyId: string
  /** The clock when it began, in ms. */
  readonly begunAt: number
  /** That of its request, where it is exported. */
  readonly span: RequestSpan | undefined
  /** Its place in its batch, from 1; undefined outside of one. */
  readonly nth: number | undefined
}

/** The events of one call, as they come. It is the `trace` of the contexts of a call, so that the pool below can write to it. */
export class CallTrace {
  readonly id: string
  readonly network: string
  readonly method: string
  readonly isKnown: boolean
  readonly project: string
  readonly keyId: string
  readonly begunAt: number
  readonly span: RequestSpan | undefined
  readonly nth: number | undefined
  /** The call whose answer this one shares. */
  leader: CallTrace | undefined
  /** Whether an attempt failed, or several were made. */
  isTroubled = false
  /** Marks beyond the most. */
  left = 0
  /** The flat members of the marks, of which `used` are set: most calls have two, for which the first array has room. */
  #marks: (string | number | undefined)[] | undefined = undefined
  #used = 0

  constructor(id: string, origin: Omit<CallOrigin, 'id'>) {
    this.id = id
    this.network = origin.network
    this.method = origin.method
    this.isKnown = origin.isKnown
    this.project = origin.project
    this.keyId = origin.keyId
    this.begunAt = origin.begunAt
    this.span = origin.span
    this.nth = origin.nth
    this.leader = undefined
  }

  /** Notes an event. */
  mark(kind: MarkKind, ms: number, name: string, why?: string): void {
    const at = this.#used
    if (at === width * mostMarks) this.left++
    else {
      const marks = (this.#marks ??= [
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
      ])
      marks[at] = kind
      marks[at + 1] = ms
      marks[at + 2] = name
      marks[at + 3] = why
      this.#used = at + width
    }
    if (kind === 'hedged' || kind === 'failed') this.isTroubled = true
  }

  get marks(): readonly Mark[] {
    const marks: Mark[] = []
    const flat = this.#marks ?? []
    for (let i = 0; i < this.#used; i += width) {
      marks.push({
        kind: flat[i] as MarkKind,
        ms: flat[i + 1] as number,
        name: flat[i + 2] as string,
        why: flat[i + 3] as string | undefined,
      })
    }
    return marks
  }

  /** The memory that it takes, in bytes, about. */
  get bytes(): number {
    return (this.#marks ?? []).reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 16), 400)
  }
}

/** Finds the trace of the call that a context belongs to; the gateway's own questions have none. */
export function traceOf({ trace }: Pick<RpcContext, 'trace'>): CallTrace | undefined {
  return trace as CallTrace | undefined
}

/** Notes why the gateway itself refuses a call, in words for its operator. */
export function because(context: Pick<RpcContext, 'trace'>, why: string): void {
  traceOf(context)?.mark('because', 0, why)
}
