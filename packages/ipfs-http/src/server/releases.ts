/** Remembers which CIDs the backend was told to forget, and when. */
export interface Releases {
  /** Notes a release. To be called before the backend is told, and again once it has done it. */
  note(cid: string): void
  /** The present moment, for `since`. */
  now(): number
  /** True if a CID may have been forgotten after a moment. */
  since(cid: string, moment: number): boolean
}

/** Remembers the latest `most` CIDs of the process. For moments before them, any CID may have been forgotten. */
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
