import { createContext } from '@wayleave/jsonrpc-core'
import { cacheOutcome } from '@wayleave/rpc-cache'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/defaults.ts'
import { createCacheStages } from '../src/cache-stages.ts'
import { smallCall } from '../src/calls.ts'
import { caller, createStages } from '../src/stages.ts'
import { openWholeWay } from '../src/whole-way.ts'
import { timeStages } from '../src/time-stages.ts'

describe('timeStages', () => {
  it('divides the CPU time of each batch by its runs, and waits for a stage that takes a while', async () => {
    let cpuMs = 0
    const stages = [
      { name: 'sync', allowanceMicros: 1, run: () => void (cpuMs += 0.002) },
      { name: 'async', allowanceMicros: 1, run: () => Promise.resolve().then(() => (cpuMs += 0.005)) },
    ]
    const timed = await timeStages(stages, 1_000, { cpu: () => cpuMs })
    expect(timed.map((stage) => stage.name)).toEqual(['sync', 'async'])
    expect(timed[0]!.micros).toBeCloseTo(2)
    expect(timed[1]!.micros).toBeCloseTo(5)
  })

  it('finds a cost for each stage of the gateway', async () => {
    const timed = await timeStages(createStages(), 500, systemClock)
    expect(timed.length).toBeGreaterThan(0)
    for (const stage of timed) expect(stage.micros, stage.name).toBeGreaterThan(0)
  })
})

describe('createStages', () => {
  it('measures answers, not failures', async () => {
    for (const stage of createStages()) {
      const outcome = JSON.stringify(await stage.run()) ?? ''
      expect(outcome, stage.name).not.toContain('error')
    }
  })
})

describe('openWholeWay', () => {
  it('answers a small call from its body to its reply', async () => {
    await using whole = await openWholeWay(caller)
    expect(await whole.stage.run()).toContain(smallCall.tail.toString())
  })
})

describe('createCacheStages', () => {
  it('measures hits, misses and calls that pass', async () => {
    const context = createContext()
    const outcomes = async () => {
      const answers = stages.map(async ({ run }) => cacheOutcome.of(((await run()) as { readonly meta?: object }).meta))
      return Promise.all(answers)
    }
    const stages = createCacheStages(context)
    context.release()
    expect(await outcomes()).toEqual(['miss', 'miss', undefined])
    expect(await outcomes()).toEqual(['hit', 'miss', undefined])
  })
})
