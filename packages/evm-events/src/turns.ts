/** Work of which only so much is done at a time; the rest waits. */
export interface Turns {
  /** Does `work` when it is its turn. Tenants take turns; within one, the first that came is the next. */
  run<T>(tenant: string | undefined, work: () => Promise<T>): Promise<T>
  /** The work of a tenant that waits. */
  waiting(tenant: string | undefined): number
}

export function createTurns(mostAtWork: number): Turns {
  /** By tenant; the one that had its turn last at the end. */
  const queues = new Map<string | undefined, (() => Promise<void>)[]>()
  let atWork = 0

  function begin(): void {
    for (const [tenant, queue] of queues) {
      if (atWork >= mostAtWork) return
      queues.delete(tenant)
      const next = queue.shift()!
      if (queue.length > 0) queues.set(tenant, queue)
      atWork++
      void next().then(() => {
        atWork--
        begin()
      })
    }
  }

  return {
    run: (tenant, work) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(tenant) ?? []
        queue.push(() => work().then(resolve, reject))
        queues.set(tenant, queue)
        begin()
      }),
    waiting: (tenant) => queues.get(tenant)?.length ?? 0,
  }
}
