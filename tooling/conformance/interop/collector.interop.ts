import { describe, expect, it } from 'vitest'
import { faultsOfTraces } from '../collector/faults-of-traces.ts'
import { traceCalls } from '../collector/trace-calls.ts'

const program = process.env['OTLP_COLLECTOR']

describe.skipIf(program === undefined)('a collector of OpenTelemetry', () => {
  it('takes the traces of all kinds of calls as the gateway means them', async () => {
    const traced = await traceCalls(program!)
    expect(faultsOfTraces(traced)).toEqual([])
    expect(traced.received.length).toBeGreaterThan(20)
  })
})
