import { createGcra } from '@wayleave/metering'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const rules = fc.record({ credits: fc.integer({ min: 1, max: 100_000 }), burst: fc.integer({ min: 1, max: 200_000 }) })
/** Calls by the microseconds since the one before, and their price. */
const traffic = fc.array(fc.tuple(fc.nat(3_000_000), fc.integer({ min: 1, max: 1_000 })), { maxLength: 60 })

interface Admitted {
  readonly at: number
  readonly price: number
}

function admit(rule: { credits: number; burst: number }, calls: readonly (readonly [number, number])[]): Admitted[] {
  const gcra = createGcra(rule)
  const admitted: Admitted[] = []
  let state = 0
  let at = 7_000_000
  for (const [gap, price] of calls) {
    at += gap
    if (gcra.wait(state, price, at) > 0) continue
    state = gcra.debit(state, price, at)
    admitted.push({ at, price })
  }
  return admitted
}

describe('the rate limit', () => {
  it('admits at most burst + rate × time in every span, and one dearest call beyond the burst', () => {
    fc.assert(
      fc.property(rules, traffic, (rule, calls) => {
        const admitted = admit(rule, calls)
        const debt = Math.max(0, ...admitted.map(({ price }) => price - rule.burst))
        for (let from = 0; from < admitted.length; from++) {
          let sum = 0
          for (let to = from; to < admitted.length; to++) {
            sum += admitted[to]!.price
            // A tick of at most a microsecond may begin just before the span.
            const micros = admitted[to]!.at - admitted[from]!.at + 1
            expect(sum).toBeLessThanOrEqual(rule.burst + debt + (rule.credits * micros) / 1_000_000)
          }
        }
      }),
    )
  })

  it('admits a call after the wait that it told, and not a microsecond earlier', () => {
    fc.assert(
      fc.property(
        rules,
        fc.nat(200_000),
        fc.integer({ min: 1, max: 1_000 }),
        fc.nat(10_000_000),
        (rule, spent, price, now) => {
          const gcra = createGcra(rule)
          const state = gcra.debit(0, spent, now)
          const wait = gcra.wait(state, price, now)
          expect(gcra.wait(state, price, now + wait)).toBe(0)
          if (wait > 1) expect(gcra.wait(state, price, now + wait - 1)).toBeGreaterThan(0)
        },
      ),
    )
  })

  it('wastes nothing: a caller who comes when told gets the whole rate', () => {
    const gcra = createGcra({ credits: 40_000, burst: 40_000 })
    let state = 0
    let now = 0
    let admitted = 0
    for (;;) {
      now += gcra.wait(state, 80, now)
      if (now > 30_000_000) break
      state = gcra.debit(state, 80, now)
      admitted += 80
    }
    expect(admitted).toBe(40_000 + 30 * 40_000)
  })

  it('admits a call dearer than the burst to a full bucket alone, and leaves it in debt', () => {
    const gcra = createGcra({ credits: 10, burst: 10 })
    const state = gcra.debit(0, 1_000, 0)
    expect(gcra.remaining(state, 0)).toBe(-990)
    expect(gcra.wait(state, 1_000, 0)).toBe(100_000_000)
    expect(gcra.wait(state, 1, 0)).toBe(99_100_000)
  })

  it('gives back what was debited, and never more than a full bucket', () => {
    fc.assert(
      fc.property(rules, fc.nat(1_000), fc.nat(1_000_000), (rule, price, later) => {
        const gcra = createGcra(rule)
        const state = gcra.debit(gcra.debit(0, price, 0), -price, later)
        expect(gcra.remaining(state, later)).toBe(rule.burst)
      }),
    )
  })

  it.each([
    [{ credits: 0 }, 'credits'],
    [{ credits: 1.5 }, 'credits'],
    [{ credits: 1e9 }, 'credits'],
    [{ credits: 1, burst: 0 }, 'burst'],
  ])('refuses %j', (rule, member) => {
    expect(() => createGcra(rule)).toThrow(`the rate.${member} must be a whole number`)
  })
})
