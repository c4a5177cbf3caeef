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

  it('leaves nobody out where several are asked, and is not asked where there is one', () => {
    const faults: PolicyFault[] = []
    const order: UpstreamOrder = (eligible) => eligible.filter(({ endpoint }) => endpoint.name === 'b')
    const onPolicyFault = (fault: PolicyFault): void => void faults.push(fault)
    const several = createSelection({
      candidates: [a, b, candidate('c')],
      random: () => 0,
      order,
      onPolicyFault,
    })
    expect(namesOf(several.order({ ...read(0), forSeveral: true }))).toBe('bac')
    const alone = createSelection({ candidates: [a], random: () => 0, order, onPolicyFault })
    expect([namesOf(alone.order(read(0))), faults]).toEqual(['a', []])
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
