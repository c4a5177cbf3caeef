/** Work of which only so much is done at a time; the rest waits. */
export interface Turns {
  /** Does `work` when it is its turn. Lanes take turns; within one, the first that came is the next. */
  run<T>(lane: string | undefined, work: () => Promise<T>): Promise<T>
  /** The work of a lane that waits. */
  waiting(lane: string | undefined): number
}

export function createTurns(mostAtWork: number): Turns {
  /** By lane; the one that had its turn last at the end. */
  const queues = new Map<string | undefined, (() => Promise<void>)[]>()
  let atWork = 0

  function begin(): void {
    for (const [lane, queue] of queues) {
      if (atWork >= mostAtWork) return
      queues.delete(lane)
      const next = queue.shift()!
      if (queue.length > 0) queues.set(lane, queue)
      atWork++
      void next().then(() => {
        atWork--
        begin()
      })
    }
  }

  return {
    run: (lane, work) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(lane) ?? []
        queue.push(() => work().then(resolve, reject))
        queues.set(lane, queue)
        begin()
      }),
    waiting: (lane) => queues.get(lane)?.length ?? 0,
  }
}
