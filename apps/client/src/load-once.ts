/** What `load` gives, loaded by the first call; the call after a failure tries again: a page may have been offline. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () =>
    (loaded ??= load().catch((why: unknown) => {
      loaded = undefined
      throw why
    }))
}
