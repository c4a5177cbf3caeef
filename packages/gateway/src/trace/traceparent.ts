/** The context of a trace as a caller tells it (W3C Trace Context §3.2). */
export interface Traceparent {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** The span of whoever calls: 16 lower-case hex digits. */
  readonly parentId: string
  readonly isSampled: boolean
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const zeros = /^0+$/

/** Reads a `traceparent` header; undefined where it says nothing. A later version is read by its first four members, as §4.3 asks. */
export function parseTraceparent(value: string): Traceparent | undefined {
  // Version 00 has 55 characters.
  if (value.length < 55 || value.length > 128) return undefined
  const [, version, traceId = '', parentId = '', flags = '', further] = form.exec(value) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && further !== undefined)) return undefined
  if (zeros.test(traceId) || zeros.test(parentId)) return undefined
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Prints a `traceparent` header of version 00. */
export function printTraceparent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}
