/** Answers without an end of their own, which have to be ended before a server can close. */
export interface Streams {
  /** Calls `leave` when the streams are to end, at once where they have been. Returns a function that forgets it. */
  onEnd(leave: () => void): () => void
  end(): void
}

export function createStreams(): Streams {
  const leavers = new Set<() => void>()
  let over = false
  return {
    onEnd(leave) {
      if (over) leave()
      else leavers.add(leave)
      return () => leavers.delete(leave)
    },
    end() {
      over = true
      for (const leave of leavers) leave()
      leavers.clear()
    },
  }
}
