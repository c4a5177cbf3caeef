import type { FeeReading } from '../source/fee-source.ts'

/** An answer without its transport. */
export interface GasAnswer {
  readonly status: number
  /** Names in lower case, without `content-length` and CORS headers. */
  readonly headers: Readonly<Record<string, string>>
  /** A whole body, or a stream of server-sent events that ends when its iteration is left or the signal aborts. */
  readonly body: string | AsyncIterable<string>
}

/** Makes the answer of an error, in the form of all of this API. */
export function refuse(status: number, message: string, headers: GasAnswer['headers'] = {}): GasAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ statusCode: status, message }),
  }
}

/** A reading that has an answer. */
export type ReadyFees = Extract<FeeReading, { state: 'ready' }>

/** Tells the age of a suggestion whose blocks are overdue, as the header of an answer. */
export function ageOf({ isStale, ageMs }: Pick<ReadyFees, 'isStale' | 'ageMs'>): { readonly age?: string } {
  return isStale ? { age: seconds(ageMs) } : {}
}

/** Prints a time in whole seconds, rounded up. */
export function seconds(ms: number): string {
  return String(Math.ceil(ms / 1_000))
}
