/** Waits for work, unless the signal ends first: it then throws what `failure` makes of the signal's reason. */
export async function unlessAborted<T>(
  work: T | Promise<T>,
  signal: AbortSignal | null | undefined,
  failure: (reason: unknown) => unknown = (reason) => reason,
): Promise<T> {
  if (!(work instanceof Promise) || signal === undefined || signal === null) return work
  let abort = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(failure(signal.reason))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
