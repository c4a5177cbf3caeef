/** Remembers the methods that an upstream is known to have. */
export interface ServedMethods {
  add(method: string): void
  delete(method: string): void
  has(method: string): boolean
}

/** Methods that are remembered; callers choose their names, and an upstream which of them it answers. */
const mostMethods = 512

export function createServedMethods(): ServedMethods {
  const methods = new Set<string>()
  /** The method that was added last: most calls are of one. */
  let last: string | undefined
  return {
    add(method) {
      if (method === last) return
      last = method
      methods.add(method)
      if (methods.size <= mostMethods) return
      for (const oldest of methods) {
        methods.delete(oldest)
        return
      }
    },
    delete(method) {
      if (method === last) last = undefined
      methods.delete(method)
    },
    has: (method) => methods.has(method),
  }
}
