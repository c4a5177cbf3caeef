/** Remembers the methods that an upstream does not have, each for a while. */
export interface MissingMethods {
  add(method: string, now: number): void
  has(method: string, now: number): boolean
}

/** Methods that are remembered, and the longest name; callers choose them. */
const mostMethods = 4_096
const longestName = 128
/** Somebody may switch a method on, in ms. */
const rememberedForMs = 600_000

export function createMissingMethods(): MissingMethods {
  /** The time until which each one is remembered, the earliest first. */
  const methods = new Map<string, number>()
  return {
    add(method, now) {
      if (method.length > longestName) return
      methods.delete(method)
      methods.set(method, now + rememberedForMs)
      if (methods.size <= mostMethods) return
      for (const oldest of methods.keys()) {
        methods.delete(oldest)
        return
      }
    },
    has(method, now) {
      if (methods.size === 0) return false
      const until = methods.get(method)
      if (until === undefined || until > now) return until !== undefined
      methods.delete(method)
      return false
    },
  }
}
