import type { LiveCall } from '@wayleave/admin-api'

/** A piece of a bar, in hundredths of its length. */
export interface BarPart {
  readonly x: number
  readonly width: number
  readonly tone: 'ok' | 'bad' | 'warn' | 'accent' | 'muted'
}

const fullMs = 10_000

/** Draws a call in one line: by the logarithm of its time, so that 1 ms and 10 s are both seen; its attempts share that length. */
export function barOf({
  ms,
  outcome,
  attempts = [],
}: Pick<LiveCall, 'ms' | 'outcome' | 'attempts'>): readonly BarPart[] {
  const length = Math.min(100, Math.max(2, (Math.log10(1 + ms) / Math.log10(1 + fullMs)) * 100))
  const isGood = outcome === 'answered'
  if (attempts.length === 0)
    return [{ x: 0, width: length, tone: isGood ? 'accent' : outcome === 'failed' ? 'bad' : 'warn' }]
  return [{ x: 0, width: length, tone: 'muted' }, ...attempts.map((attempt) => partOf(attempt, ms, length))]
}

/** Places an attempt on the time of its call. */
export function partOf(
  { atMs, ms, outcome }: { readonly atMs: number; readonly ms?: number | undefined; readonly outcome: string },
  totalMs: number,
  length = 100,
): BarPart {
  const scale = length / Math.max(totalMs, 0.001)
  const x = Math.min(length - 1, atMs * scale)
  const width = Math.max(1, Math.min(length - x, (ms ?? totalMs - atMs) * scale))
  return { x, width, tone: outcome === 'answered' ? 'ok' : outcome === 'given_up' ? 'muted' : 'bad' }
}
