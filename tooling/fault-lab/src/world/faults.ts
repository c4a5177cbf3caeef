import type { FaultKind, FaultPlan, Plan } from '../plan.ts'
import type { Journal } from './journal.ts'
import { type Random, streamOf } from './random.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The faults of one upstream. */
export interface Faults {
  readonly random: Random
  /** The fault of a kind that lasts now. */
  active(kind: FaultKind): FaultPlan | undefined
  /** The same, where it meets this call. */
  meets(kind: FaultKind): FaultPlan | undefined
  /** Whether nobody can connect now. */
  readonly isDown: boolean
}

/** Period of flapping, in ms, where the plan gives none. */
const usualFlapMs = 1_000

/** Creates the faults of an upstream. `onChange` is called whenever one begins or ends. */
export function createFaults(
  { seed, faults }: Plan,
  upstream: string,
  {
    clock,
    journal,
    onChange,
  }: { readonly clock: VirtualClock; readonly journal: Journal; readonly onChange: () => void },
): Faults {
  const random = streamOf(seed, `faults of ${upstream}`)
  const active = new Map<FaultKind, FaultPlan>()

  function begin(fault: FaultPlan): void {
    const { kind, forMs, amount, variant } = fault
    active.set(kind, fault)
    const more = [
      amount === undefined ? [] : `amount ${amount}`,
      variant === undefined ? [] : `variant ${variant}`,
    ].flat()
    journal.note(upstream, 'fault', [kind, ...more, `for ${forMs} ms`].join(', '))
    onChange()
    if (kind === 'flap') flap(fault)
    if (kind === 'restart_old') catchUp(fault)
    clock.after(forMs, () => {
      if (active.get(kind) !== fault) return
      active.delete(kind)
      journal.note(upstream, 'over', kind)
      onChange()
    })
  }

  function flap(fault: FaultPlan): void {
    clock.after(fault.amount ?? usualFlapMs, () => {
      if (active.get('flap') !== fault) return
      onChange()
      flap(fault)
    })
  }

  function catchUp(fault: FaultPlan): void {
    clock.after(catchUpMs, () => {
      if (active.get('restart_old') !== fault) return
      onChange()
      catchUp(fault)
    })
  }

  for (const fault of faults) if (fault.upstream === upstream) clock.after(fault.at, () => begin(fault))

  return {
    random,
    active: (kind) => active.get(kind),
    meets(kind) {
      const fault = active.get(kind)
      return fault === undefined || (fault.rate !== undefined && random() >= fault.rate) ? undefined : fault
    },
    get isDown() {
      if (active.has('crash')) return true
      const flapping = active.get('flap')
      if (flapping === undefined) return false
      return Math.floor((clock.now() - flapping.at) / (flapping.amount ?? usualFlapMs)) % 2 === 0
    },
  }
}

/** Time that a node takes for each block that it has missed, in ms. */
export const catchUpMs = 50
