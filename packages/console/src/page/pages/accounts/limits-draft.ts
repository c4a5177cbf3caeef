import type { Plan } from '@wayleave/admin-api'
import type { ConsoleError } from '../../api/console-error.ts'
import { invalidHere } from '../../parts/use-form.ts'

/** Limits as the API takes them. */
export type Limits = Plan['limits']

type Quota = NonNullable<Limits['perDay']>

/** Limits as they stand in the fields. */
export interface LimitsDraft {
  readonly rate: string
  readonly burst: string
  readonly day: string
  readonly dayAction: string
  readonly month: string
  readonly monthAction: string
  /** The members without fields, as JSON. */
  readonly rest: string
  /** As they were: marks of quotas have no fields. */
  readonly before: Limits
}

/** The paths of limits that have a field. */
export const limitPlaces: readonly string[] = [
  'limits.perSecond.credits',
  'limits.perSecond.burst',
  'limits.perDay',
  'limits.perMonth',
  'limits.methods',
  'limits.perVisitor',
  'limits.rest',
]

export function draftOf(limits: Limits = {}): LimitsDraft {
  const { perSecond, perDay, perMonth, ...rest } = limits
  return {
    rate: String(perSecond?.credits ?? ''),
    burst: String(perSecond?.burst ?? ''),
    day: String(perDay?.credits ?? ''),
    dayAction: perDay?.action ?? 'stop',
    month: String(perMonth?.credits ?? ''),
    monthAction: perMonth?.action ?? 'stop',
    rest: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
    before: limits,
  }
}

/** Reads the fields; undefined: no limits. @throws ConsoleError with issues below `limits` */
export function limitsOf(draft: LimitsDraft): Limits | undefined {
  const rest = readRest(draft.rest)
  if (draft.burst.trim() !== '' && draft.rate.trim() === '')
    throw invalidHere({ path: 'limits.perSecond.credits', message: 'needed with a burst' })
  const quota = (credits: string, action: string, before: Quota | undefined): Quota | undefined =>
    credits.trim() === ''
      ? undefined
      : {
          ...(before?.marks && { marks: before.marks }),
          credits: number(credits),
          action: action === 'warn' ? 'warn' : 'stop',
        }
  const perDay = quota(draft.day, draft.dayAction, draft.before.perDay)
  const perMonth = quota(draft.month, draft.monthAction, draft.before.perMonth)
  const limits: Limits = {
    ...(draft.rate.trim() !== '' && {
      perSecond: { credits: number(draft.rate), ...(draft.burst.trim() !== '' && { burst: number(draft.burst) }) },
    }),
    ...(perDay && { perDay }),
    ...(perMonth && { perMonth }),
    ...rest,
  }
  return Object.keys(limits).length === 0 ? undefined : limits
}

/** People write 1,000,000. What is no number is left to the API to refuse. */
function number(text: string): number {
  const plain = text.replaceAll(/[,_\s]/g, '')
  return /^\d+$/.test(plain) ? Number(plain) : (text as never)
}

function readRest(text: string): Limits {
  if (text.trim() === '') return {}
  const refuse = (message: string): ConsoleError => invalidHere({ path: 'limits.rest', message })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw refuse(`no JSON: ${(thrown as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('expected an object')
  const double = ['perSecond', 'perDay', 'perMonth'].filter((name) => Object.hasOwn(value, name))
  if (double.length > 0) throw refuse(`${double.join(', ')}: use the fields above`)
  return value
}
