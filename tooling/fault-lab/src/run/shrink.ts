import type { Plan } from '../plan.ts'

/** Whether a smaller plan still breaks the same invariant. */
export type StillFails = (plan: Plan) => Promise<boolean>

export interface ShrinkOptions {
  /** Most plans that are tried. Default 400. */
  readonly maxTries?: number
  /** Whether the time for it is spent. Default: it never is. */
  readonly isOver?: () => boolean
  /** Called with each smaller plan that still fails. */
  readonly onSmaller?: (plan: Plan) => void
}

/**
 * Makes a failing plan smaller while it still fails: fewer faults, reorganisations, calls and upstreams, by delta debugging, until
 * nothing more can be left out alone, or the tries or the time are spent.
 */
export async function shrink(plan: Plan, stillFails: StillFails, options: ShrinkOptions = {}): Promise<Plan> {
  const { maxTries = 400, isOver = () => false, onSmaller } = options
  let best = plan
  let tries = 0
  const isSpent = (): boolean => tries >= maxTries || isOver()

  async function attempt(smaller: Plan): Promise<boolean> {
    // A network has an upstream.
    if (smaller.upstreams.length === 0 || isSpent()) return false
    tries++
    if (!(await stillFails(smaller))) return false
    best = smaller
    onSmaller?.(smaller)
    return true
  }

  /** Leaves out parts of a list, large ones first (Zeller, Hildebrandt: "Simplifying and Isolating Failure-Inducing Input"). */
  async function reduce<T>(read: (plan: Plan) => readonly T[], write: (plan: Plan, kept: readonly T[]) => Plan) {
    for (let part = Math.ceil(read(best).length / 2); part >= 1 && !isSpent(); part = Math.floor(part / 2)) {
      for (let from = 0; from < read(best).length && !isSpent();) {
        const kept = read(best).toSpliced(from, part)
        // A part that is needed stays, and the next one is looked at.
        if (!(await attempt(write(best, kept)))) from += part
      }
    }
  }

  let before: Plan | undefined
  while (before !== best) {
    before = best
    await reduce(
      ({ faults }) => faults,
      (it, faults) => ({ ...it, faults }),
    )
    await reduce(
      ({ reorgs }) => reorgs,
      (it, reorgs) => ({ ...it, reorgs }),
    )
    await reduce(({ upstreams }) => upstreams, withUpstreams)
    await reduce(
      ({ calls }) => calls,
      (it, calls) => ({ ...it, calls }),
    )
    await reduce(
      ({ subscribers = [] }) => subscribers,
      (it, subscribers) => ({ ...it, subscribers }),
    )
    await reduce(
      ({ pollers = [] }) => pollers,
      (it, pollers) => ({ ...it, pollers }),
    )
  }
  return best
}

function withUpstreams(plan: Plan, upstreams: Plan['upstreams']): Plan {
  const names = new Set(upstreams.map(({ name }) => name))
  return { ...plan, upstreams, faults: plan.faults.filter(({ upstream }) => names.has(upstream)) }
}
