/** The clock and the storage of the browser, for all modules of the page. */
export const browser = {
  /** Unix time in ms. */
  now: (): number => Date.now(),

  /** Milliseconds since the page was opened. */
  sinceOpened: (): number => performance.now(),

  /** Calls `run` once, after `ms`. Returns what cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },

  /** Calls `run` before the next frame is drawn; in a tab that is not seen, within a second. */
  atFrame(run: () => void): void {
    let isDone = false
    const once = (): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      run()
    }
    const timer = setTimeout(once, 1_000)
    requestAnimationFrame(once)
  },

  /** Reads a kept text; undefined where there is none, or storage is refused. */
  read(name: string): string | undefined {
    try {
      return localStorage.getItem(`wayleave.${name}`) ?? undefined
    } catch {
      return undefined
    }
  },

  /** Keeps a text for this origin, or with undefined forgets it. Where storage is refused, nothing is kept. */
  keep(name: string, text: string | undefined): void {
    try {
      if (text === undefined) localStorage.removeItem(`wayleave.${name}`)
      else localStorage.setItem(`wayleave.${name}`, text)
    } catch {
      // The page works without.
    }
  },
}
