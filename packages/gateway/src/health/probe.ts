import type { EndpointState, ProbedUpstreams } from '@wayleave/network'

/** One look at a part of the gateway. Neither promise rejects. */
export interface Look {
  /** Whether it can serve: true with the first endpoint that can, false when none could. */
  readonly serves: Promise<boolean>
  /** The state of all endpoints, once all are known. */
  readonly all: Promise<readonly EndpointState[]>
}

/** Looks whether a part can serve now. */
export type Probe = () => Look

/** A part of the gateway that can be asked whether it serves. */
export interface Probed {
  readonly name: string
  readonly probe: Probe
}

/** Creates the {@link Probe} of a network. */
export function createProbe({ names, look, stateOf }: ProbedUpstreams): Probe {
  async function stateAfterLook(name: string): Promise<EndpointState> {
    await look(name)
    return stateOf(name)
  }

  return () => {
    const states = names.map(stateAfterLook)
    return { serves: first(states), all: Promise.all(states) }
  }
}

/** Makes a look of the states of a part that answers at once for all of its endpoints. No states: it can serve. */
export function lookAt(states: Promise<readonly EndpointState[]>): Look {
  return { serves: states.then((all) => all.length === 0 || all.some(canServe)), all: states }
}

/** Whether an endpoint can serve. */
export function canServe({ reason }: EndpointState): boolean {
  return reason === undefined
}

/** Resolves with true at the first endpoint that can serve. */
function first(states: readonly Promise<EndpointState>[]): Promise<boolean> {
  return new Promise((resolve) => {
    for (const state of states) void state.then((found) => canServe(found) && resolve(true))
    void Promise.all(states).then((all) => resolve(all.some(canServe)))
  })
}
