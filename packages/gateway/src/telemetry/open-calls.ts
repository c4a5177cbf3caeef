/** A call that has begun and has no answer yet. */
export interface OpenCall {
  /** The clock when it began, in ms. */
  readonly begunAt: number
  older: OpenCall | undefined
  newer: OpenCall | undefined
}

/** The open calls of a network, in the order in which they began. */
export interface OpenCalls {
  readonly count: number
  /** The clock when the oldest of them began, in ms; undefined where none is open. */
  readonly oldestAt: number | undefined
  begin(now: number): OpenCall
  /** Takes a call out; call it once. */
  end(call: OpenCall): void
}

/** Creates the list, in which a call begins and ends without a look at the others. */
export function createOpenCalls(): OpenCalls {
  let oldest: OpenCall | undefined
  let newest: OpenCall | undefined
  let count = 0
  return {
    get count() {
      return count
    },
    get oldestAt() {
      return oldest?.begunAt
    },
    begin(begunAt) {
      const call: OpenCall = { begunAt, older: newest, newer: undefined }
      if (newest === undefined) oldest = call
      else newest.newer = call
      newest = call
      count++
      return call
    },
    end(call) {
      const { older, newer } = call
      if (older === undefined) oldest = newer
      else older.newer = newer
      if (newer === undefined) newest = older
      else newer.older = older
      call.older = call.newer = undefined
      count--
    },
  }
}
