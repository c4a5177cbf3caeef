import { type Limits, liveLimits } from './config/limits.ts'
import type { GasService } from './gas/service.ts'
import type { ListenerOptions } from './listener-options.ts'
import type { Snapshot } from './snapshot.ts'

/** The parts of the gateway that a configuration decides, as listeners see them: each question goes to the snapshot of the moment. */
export interface PresentParts extends Pick<ListenerOptions, 'admission' | 'limits' | 'timeouts'> {
  readonly gas: Pick<GasService, 'find' | 'answer'>
}

/** `first`: any limits; all have the same members. */
export function presentParts(present: () => Snapshot, first: Limits): PresentParts {
  /** Has a judgement that took its time made again where another snapshot has come meanwhile. */
  function lasting<T extends object>(judge: (admission: Snapshot['admission']) => T | Promise<T>): T | Promise<T> {
    const asked = present()
    const judged = judge(asked.admission)
    if (!(judged instanceof Promise)) return judged
    return judged.then((found) => ('refused' in found || present() === asked ? found : lasting(judge)))
  }

  return {
    admission: {
      refuseHead: (head) => present().admission.refuseHead(head),
      route: (url, head) => present().admission.route(url, head),
      admitCall: (route, head, source) => lasting((admission) => admission.admitCall(route, head, source)),
      admit: (target, head, source) => lasting((admission) => admission.admit(target, head, source)),
    },
    limits: liveLimits(() => present().limits, first),
    timeouts: {
      get longestMs() {
        return present().timeouts.longestMs
      },
      at: (network, project) => present().timeouts.at(network, project),
    },
    gas: {
      find: (path) => present().gas.find(path),
      answer: (call) => present().gas.answer(call),
    },
  }
}
