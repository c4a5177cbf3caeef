import { describe, expect, it } from 'vitest'
import { parseTraceparent, printTraceparent } from '../../src/trace/traceparent.ts'

// The example of W3C Trace Context §3.2.3.
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

describe('a traceparent', () => {
  it('is read as it is printed', () => {
    expect(parseTraceparent(printTraceparent(traceId, parentId, true))).toEqual({ traceId, parentId, isSampled: true })
    expect(parseTraceparent(printTraceparent(traceId, parentId, false))).toEqual({
      traceId,
      parentId,
      isSampled: false,
    })
  })

  it('of a later version is read by the members that this one has', () => {
    expect(parseTraceparent(`cc-${traceId}-${parentId}-03-more`)).toEqual({ traceId, parentId, isSampled: true })
  })

  it.each([
    ['nothing', ''],
    ['another version than a number', `0g-${traceId}-${parentId}-01`],
    ['the version that is none', `ff-${traceId}-${parentId}-01`],
    ['upper case', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['more than version 00 has', `00-${traceId}-${parentId}-01-more`],
    ['a short one', `00-${traceId}-${parentId}`],
    ['another line', `00-${traceId}-${parentId}-01\n`],
    ['a long one', `cc-${traceId}-${parentId}-01-${'x'.repeat(100)}`],
  ])('that has %s says nothing', (_what, value) => {
    expect(parseTraceparent(value)).toBeUndefined()
  })
})
