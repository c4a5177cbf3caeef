/** Which CIDs the backend was told to forget, and since when. */
export interface Releases {
  /** To be called before the backend is told, and again when it has done so. */
  note(cid: string): void
  /** A moment, for `since`. */
  now(): number
  /** Whether a CID may have been forgotten after a moment. */
  since(cid: string, moment: number): boolean
}

/** Of the process. Remembers the latest 10,000; before them, any CID may have been forgotten. */
export function createReleases(most = 10_000): Releases {
  const moments = new Map<string, number>()
  let moment = 0
  let forgotten = 0
  return {
    note(cid) {
      moments.delete(cid)
      moments.set(cid, ++moment)
      if (moments.size <= most) return
      const [oldest, at] = moments.entries().next().value!
      moments.delete(oldest)
      forgotten = at
    },
    now: () => moment,
    since: (cid, before) => before < forgotten || (moments.get(cid) ?? 0) > before,
  }
}
