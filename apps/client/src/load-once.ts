/** Loads once, by the first call. The call after a failure tries again, as a page may have been offline. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () =>
    (loaded ??= load().catch((why: unknown) => {
      loaded = undefined
      throw why
    }))
}
