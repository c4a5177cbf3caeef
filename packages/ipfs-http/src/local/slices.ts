/** Has uploads take turns at the processor, so that none keeps the event loop from other work. */
export interface Slices {
  /** Resolves when it is the turn of a lane (a project) to do work of a cost, in bytes. Undefined: now. */
  turn(lane: string, cost: number): Promise<void> | undefined
}

/** The cost of the work of one turn of the event loop, in bytes: a few ms. */
const sliceBytes = 512 * 1024
/** The cost of a block beside its bytes: parsing, hashing and naming a short one takes about as long as hashing this much. */
export const blockCost: number = 16 * 1024

/**
 * Gives out a slice for each turn of the event loop, to all uploads together: however many there are, other work waits for one slice
 * at most. Lanes that wait take turns, whatever the number of their uploads. `onNextTurn` runs its function in the loop's next turn.
 */
export function createSlices(onNextTurn: (run: () => void) => void): Slices {
  const lanes = new Map<string, { readonly cost: number; readonly go: () => void }[]>()
  let left = sliceBytes
  let isScheduled = false

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    onNextTurn(() => {
      isScheduled = false
      left = sliceBytes
      serve()
    })
  }
  const serve = (): void => {
    while (left > 0) {
      const [next] = lanes
      if (next === undefined) return
      const [lane, waiting] = next
      const { cost, go } = waiting.shift()!
      // The lane goes to the end of the line.
      lanes.delete(lane)
      if (waiting.length > 0) lanes.set(lane, waiting)
      left -= cost
      go()
    }
    schedule()
  }

  return {
    turn(lane, cost) {
      schedule()
      if (left > 0 && lanes.size === 0) {
        left -= cost
        return undefined
      }
      return new Promise((go) => {
        const waiting = lanes.get(lane)
        if (waiting === undefined) lanes.set(lane, [{ cost, go }])
        else waiting.push({ cost, go })
      })
    },
  }
}
