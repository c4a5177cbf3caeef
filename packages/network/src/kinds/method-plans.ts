import { createRecentPlans } from './recent-plans.ts'

/** Remembers what was found for the params of methods of late. */
export interface MethodPlans<Plan> {
  /** Returns what was kept for a method and the text of its params; null: it was looked at, and is nothing. */
  get(method: string, text: string): Plan | null | undefined
  set(method: string, text: string, plan: Plan | null): void
}

/** The plan of a method for a text, before those of others. */
interface MethodPlan<Plan> {
  readonly method: string
  readonly plan: Plan | null
  readonly next: MethodPlan<Plan> | undefined
  readonly length: number
}

/** Most methods that a text is remembered for: few take the same params. */
const mostOfText = 4

/**
 * Creates a memory of plans for at most twice `most` texts. It is searched by the text alone: a name of method and text would be copied for each
 * look.
 */
export function createMethodPlans<Plan>(most: number): MethodPlans<Plan> {
  const texts = createRecentPlans<MethodPlan<Plan>>(most)
  return {
    get(method, text) {
      let found = texts.get(text)
      while (found && found.method !== method) found = found.next
      return found?.plan
    },
    set(method, text, plan) {
      const known = texts.get(text) ?? undefined
      const next = known !== undefined && known.length < mostOfText ? known : undefined
      texts.set(text, { method, plan, next, length: (next?.length ?? 0) + 1 })
    },
  }
}
