import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createHistory, type History, type KnownHistory } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'

const forMs = 900_000

function scene(
  top = 10_000,
  known?: Map<string, KnownHistory>,
): { history: History; clock: FakeClock; moveTo(head: number): void } {
  const clock = new FakeClock(0)
  let head = top
  const needs = { state: [], blocks: [], receipts: ['blocks'] }
  return {
    history: createHistory({ needs, head: () => head, known, clock, forMs }),
    clock,
    moveTo: (next) => void (head = next),
  }
}

describe('the history of upstreams', () => {
  it('is unknown until something is told of it', () => {
    const { history } = scene()
    expect([history.isWhole, history.isEmpty, history.isReported('a', 'state')]).toEqual([true, true, false])
    expect(history.has('a', 'state', 5)).toBeUndefined()
    expect(history.oldestOf('a', 'state')).toBeUndefined()
  })

  it('is as an upstream tells it, and a window moves with the head', () => {
    const { history, moveTo } = scene()
    history.reported('a', 'blocks', { oldest: 0 })
    expect([history.isWhole, history.isEmpty, history.isReported('a', 'state')]).toEqual([true, false, false])
    expect(history.isReported('a', 'blocks')).toBe(true)
    history.reported('a', 'state', { oldest: 9_873, blocks: 128 })
    expect(history.isWhole).toBe(false)
    expect([history.has('a', 'state', 9_872), history.has('a', 'state', 9_873)]).toEqual([false, true])
    expect(history.has('a', 'blocks', 0)).toBe(true)
    moveTo(10_100)
    expect(history.has('a', 'state', 9_972)).toBe(false)
    expect(history.oldestOf('a', 'state')).toBe(9_973)
    history.reported('b', 'state', { oldest: Number.POSITIVE_INFINITY })
    expect([history.has('b', 'state', 10_100), history.oldestOf('b', 'state')]).toEqual([false, undefined])
  })

  it('is learnt from two refusals at different heights, which go before words, and fades', () => {
    const { history, clock } = scene()
    history.reported('a', 'state', { oldest: 0 })
    for (let i = 0; i < 2; i++) history.lacked('a', 'state', 600)
    expect([history.has('a', 'state', 500), history.isDoubtful('a', 'state', 600)]).toEqual([undefined, true])
    expect([history.has('a', 'state', 601), history.isDoubtful('a', 'state', 601)]).toEqual([true, false])
    expect(history.isReported('a', 'state')).toBe(false)
    history.lacked('a', 'state', 500)
    expect([500, 501, 601].map((block) => history.has('a', 'state', block))).toEqual([false, undefined, true])
    clock.advance(forMs)
    expect(history.has('a', 'state', 500)).toBeUndefined()
    expect([history.isWhole, history.isEmpty]).toEqual([true, true])
  })

  it('is learnt from one refusal that the host has looked for itself', () => {
    const { history } = scene()
    history.lacked('a', 'state', 500, true)
    expect([history.has('a', 'state', 500), history.has('a', 'state', 501)]).toEqual([false, undefined])
  })

  it('is as an upstream tells it, whatever was refused before', () => {
    const { history } = scene()
    history.lacked('a', 'state', 600)
    history.reported('a', 'state', { oldest: 0 })
    history.lacked('a', 'state', 500)
    expect(history.has('a', 'state', 500)).toBeUndefined()
  })

  it('is trusted again where an answer disproves a refusal', () => {
    const { history } = scene()
    history.reported('a', 'state', { oldest: 0 })
    history.lacked('a', 'state', 600)
    history.served('a', 'state', 600)
    history.lacked('a', 'state', 500)
    expect([history.has('a', 'state', 500), history.has('a', 'state', 600)]).toEqual([undefined, true])
  })

  it('learns nothing from a refusal near the head, as no node prunes there', () => {
    const { history } = scene()
    history.lacked('a', 'state', 9_940)
    expect(history.has('a', 'state', 9_940)).toBeUndefined()
    expect(history.has('a', 'state', 5)).toBeUndefined()
  })

  it('is known as deep as an upstream has answered, counted from the head', () => {
    const { history, moveTo } = scene()
    history.served('a', 'state', 9_800)
    expect([history.has('a', 'state', 9_800), history.has('a', 'state', 9_799)]).toEqual([true, undefined])
    moveTo(10_050)
    expect([history.has('a', 'state', 9_800), history.has('a', 'state', 9_850)]).toEqual([undefined, true])
  })

  it('takes an answer as the end of a refusal at or above its height', () => {
    const { history } = scene()
    history.lacked('a', 'blocks', 5_000, true)
    history.served('a', 'blocks', 4_000)
    expect([history.has('a', 'blocks', 4_500), history.has('a', 'blocks', 3_999)]).toEqual([true, false])
  })

  it('takes the first block for no proof of the others', () => {
    const { history } = scene()
    history.lacked('a', 'blocks', 5_000, true)
    history.served('a', 'blocks', 0)
    expect(history.has('a', 'blocks', 4_000)).toBe(false)
  })

  it('knows that a node without bodies has no receipts', () => {
    const { history } = scene()
    history.reported('a', 'receipts', { oldest: 0 })
    history.lacked('a', 'blocks', 700, true)
    expect([history.has('a', 'receipts', 700), history.has('a', 'receipts', 701)]).toEqual([false, true])
  })

  it('keeps upstreams apart, and forgets one', () => {
    const { history } = scene()
    history.lacked('a', 'state', 500, true)
    history.lacked('b', 'state', 500, true)
    history.forget('a')
    expect([history.has('a', 'state', 1), history.has('b', 'state', 1)]).toEqual([undefined, false])
  })

  it('goes on where it is handed over, and fades there, too', () => {
    const known = new Map<string, KnownHistory>()
    const { history } = scene(10_000, known)
    history.reported('a', 'state', { oldest: 9_000 })
    history.reported('b', 'state', { oldest: 9_000 })
    const { history: next, clock } = scene(10_000, new Map([['a', known.get('a')!]]))
    expect([next.isWhole, next.isEmpty]).toEqual([false, false])
    expect(['a', 'b'].map((name) => next.has(name, 'state', 8_999))).toEqual([false, undefined])
    clock.advance(forMs)
    expect([next.isWhole, next.has('a', 'state', 8_999)]).toEqual([true, undefined])
  })
})
