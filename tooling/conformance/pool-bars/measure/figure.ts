/** A value that was measured, and its bar. */
export interface Figure {
  readonly name: string
  readonly value: number
  /** The value for people, with its unit. */
  readonly printed: string
  readonly bar?: Bar
}

interface Bar {
  /** The highest and the lowest value. */
  readonly most: number
  readonly least: number
  /** For people, with its unit. */
  readonly printed: string
}

type Bounds = { readonly most: number } | { readonly least: number }

/** Makes a figure, and prints it and its bar by `print`. */
export function figure(name: string, value: number, print: (value: number) => string, bounds?: Bounds): Figure {
  const base = { name, value, printed: print(value) }
  if (bounds === undefined) return base
  if ('most' in bounds) {
    const { most } = bounds
    return { ...base, bar: { most, least: Number.NEGATIVE_INFINITY, printed: `≤ ${print(most)}` } }
  }
  const { least } = bounds
  return { ...base, bar: { most: Number.POSITIVE_INFINITY, least, printed: `≥ ${print(least)}` } }
}

/** Whether a figure keeps its bar; what is no number keeps none. */
export const holds = ({ value, bar }: Figure): boolean => bar === undefined || (value <= bar.most && value >= bar.least)

export const count = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 })
export const percent = (value: number): string => `${(value * 100).toFixed(2)} %`
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`
export const times = (value: number): string => `${value.toFixed(2)}x`
