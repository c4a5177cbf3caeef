import type { Admission } from './admission.ts'
import type { GasService } from './gas/service.ts'
import type { ListenerOptions } from './listener-options.ts'
import type { Snapshot } from './snapshot.ts'

/** The parts of the gateway that a configuration decides, as listeners see them: a reload puts other members into the same objects. */
export interface PresentParts extends Pick<ListenerOptions, 'admission' | 'limits' | 'timeouts' | 'compression'> {
  readonly gas: Pick<GasService, 'find' | 'answer'>
}

/** {@link PresentParts} of one snapshot after the other. */
export interface RenewedParts {
  readonly parts: PresentParts
  /** Puts the members of another snapshot in. */
  renew(snapshot: Pick<Snapshot, keyof PresentParts>): void
}

export function createPresentParts(first: Pick<Snapshot, keyof PresentParts>): RenewedParts {
  let present: Admission
  const parts = { admission: {}, limits: {}, timeouts: {}, compression: {}, gas: {} } as PresentParts

  /** Has a judgement that took its time made again where another snapshot has come meanwhile. */
  async function lasting<T extends object>(
    judged: Promise<T>,
    judge: (admission: Admission) => T | Promise<T>,
  ): Promise<T> {
    let asked = present
    let found = await judged
    while (!('refused' in found) && present !== asked) {
      asked = present
      found = await judge(asked)
    }
    return found
  }

  function renew({ admission, limits, timeouts, compression, gas }: Pick<Snapshot, keyof PresentParts>): void {
    present = admission
    Object.assign(parts.limits, limits)
    Object.assign(parts.timeouts, timeouts)
    Object.assign(parts.compression, compression)
    Object.assign(parts.gas, gas)
    Object.assign(parts.admission, {
      ...admission,
      admitCall(route, head, source) {
        const judged = present.admitCall(route, head, source)
        if (!(judged instanceof Promise)) return judged
        return lasting(judged, (each) => each.admitCall(route, head, source))
      },
      admit(target, head, source) {
        const judged = present.admit(target, head, source)
        return judged instanceof Promise ? lasting(judged, (each) => each.admit(target, head, source)) : judged
      },
    } satisfies Admission)
  }

  renew(first)
  return { parts, renew }
}
