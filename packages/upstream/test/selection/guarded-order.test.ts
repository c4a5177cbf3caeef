import { describe, expect, it } from 'vitest'
import { createSelection, type PolicyFault, type UpstreamOrder } from '@wayleave/upstream'
import { candidate, namesOf, read } from './candidates.ts'

const [a, b, stranger] = [candidate('a'), candidate('b'), candidate('z')]

function choose(order: UpstreamOrder) {
  const faults: PolicyFault[] = []
  const thrown: unknown[] = []
  const candidates = [a, b]
  const selection = createSelection({
    candidates,
    random: () => 0,
    order,
    onPolicyFault(fault, why) {
      faults.push(fault)
      thrown.push(why)
    },
  })
  return { names: namesOf(selection.order(read(0))), faults, thrown, candidates }
}

describe('a policy of the operator', () => {
  it('decides the order', () => {
    expect(choose((eligible) => eligible.toReversed())).toMatchObject({ names: 'ba', faults: [] })
  })

  it('may leave upstreams out', () => {
    expect(choose(() => [b])).toMatchObject({ names: 'b', faults: [] })
  })

  it('gives way to the default one where it throws, and the error is told', () => {
    const error = new Error('oops')
    const order = (): never => {
      throw error
    }
    expect(choose(order)).toMatchObject({ names: 'ab', faults: ['threw'], thrown: [error] })
  })

  it.each<[string, () => unknown, PolicyFault]>([
    ['nothing', () => undefined, 'no_list'],
    ['a promise that is rejected', async () => Promise.reject(new Error('late')), 'no_list'],
    ['an empty list', () => [], 'empty'],
  ])('gives way to the default one where it returns %s', (_, order, fault) => {
    expect(choose(order as UpstreamOrder)).toMatchObject({ names: 'ab', faults: [fault] })
  })

  it.each<[string, unknown[], string, PolicyFault[]]>([
    ['strangers', [stranger, b, undefined], 'b', ['stranger', 'stranger']],
    ['only strangers', [stranger], 'ab', ['stranger', 'empty']],
    ['doubles', [b, a, b, b], 'ba', ['double', 'double']],
  ])('cannot have asked: %s', (_, returned, names, faults) => {
    expect(choose(() => returned as never)).toMatchObject({ names, faults })
  })

  it('may sort what it was given', () => {
    const { names, candidates } = choose((eligible) => {
      const mine = eligible as (typeof a)[]
      mine.push(mine.shift()!)
      return mine
    })
    expect(names).toBe('ba')
    expect(namesOf(candidates)).toBe('ab')
  })
})
