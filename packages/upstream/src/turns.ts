import { createLine, type Line } from './line.ts'

/**
 * The time of the process's one thread, shared by tenants, such as projects: work that a caller can make long, such as reading a large body
 * or starting the calls of a batch, is done a little in each turn of the event loop, so that small calls come in between. Its cost is
 * estimated, in units of about 25 µs. Tenants that wait go by deficit round robin (Shreedhar and Varghese, 1996).
 */
export interface Turns {
  /** Undefined where work for `tenant` may begin now; else resolves when it may. */
  take(tenant: string | undefined, cost: number): Promise<void> | undefined
}

export interface TurnsOptions {
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void
  /** Cost of the work that one turn begins, about. Default 64: about two milliseconds. */
  readonly perTurn?: number
}

interface Work {
  readonly cost: number
  readonly go: () => void
}

interface Tenant {
  /** Cost that it may still begin in its turn. */
  deficit: number
  readonly waiting: Line<Work>
}

/** Cost that a project may begin before the next one has its turn. */
const quantum = 16

/** Cost up to which a turn is not told from the next, which saves the look at the event loop. */
const worthCounting = 16

/** While several projects call, a turn begins one part in so many: what is on its way in a turn holds up all others. */
const sharedPart = 4
/** Work of one project, about a second of it, after which it counts as the only one that calls. */
const aloneAfter = 40_000
/** Most that work of a high cost counts for later. */
const longestDebt = 2_048

/** Creates the turns of a process. While nobody waits, work begins at once. */
export function createTurns({ nextTurn, perTurn = 64 }: TurnsOptions): Turns {
  /** The next in turn first. */
  const tenants = new Map<string | undefined, Tenant>()
  /** Cost that projects have begun beyond a turn: others have their turns until it is paid off. */
  const debts = new Map<string | undefined, number>()
  let spent = 0
  let isScheduled = false
  /** Null before the first. */
  let lastTenant: string | undefined | null = null
  let sinceOther = aloneAfter

  const mostNow = (): number =>
    tenants.size > 1 || sinceOther < aloneAfter ? Math.ceil(perTurn / sharedPart) : perTurn

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    nextTurn(() => {
      isScheduled = false
      spent = 0
      for (const [name, debt] of debts) {
        if (debt > perTurn) debts.set(name, debt - perTurn)
        else debts.delete(name)
      }
      while (spent < mostNow() && serveNext());
      if (spent >= worthCounting || tenants.size > 0 || debts.size > 0) schedule()
    })
  }

  /** Begins work of the project whose turn it is; false where none may begin any. */
  function serveNext(): boolean {
    for (const [name, tenant] of tenants) {
      if (debts.has(name)) continue
      const { waiting } = tenant
      tenant.deficit += quantum
      tenants.delete(name)
      for (
        let place = waiting.first;
        place !== undefined && place.value.cost <= tenant.deficit;
        place = waiting.first
      ) {
        const { cost, go } = place.value
        waiting.leave(place)
        tenant.deficit -= cost
        spend(name, cost)
        go()
      }
      if (!waiting.isEmpty) tenants.set(name, tenant)
      return true
    }
    return false
  }

  function spend(name: string | undefined, cost: number): void {
    spent += cost
    if (cost > perTurn) debts.set(name, Math.min(cost - perTurn, longestDebt))
    if (name === lastTenant) sinceOther = Math.min(sinceOther + cost, aloneAfter)
    else if (lastTenant !== null) sinceOther = 0
    lastTenant = name
  }

  return {
    take(name, cost) {
      const tenant = tenants.get(name)
      if (tenant === undefined && spent < mostNow() && !debts.has(name)) {
        spend(name, cost)
        if (spent >= worthCounting) schedule()
        return undefined
      }
      schedule()
      return new Promise((go) => {
        let it = tenant
        if (it === undefined) tenants.set(name, (it = { deficit: 0, waiting: createLine() }))
        it.waiting.push({ cost, go })
      })
    },
  }
}
