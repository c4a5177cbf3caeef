import type { Clock } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { Asker } from './ask.ts'
import type { HeadReader } from './head-reader.ts'
import type { Header } from './position.ts'

/** Whether a node has the parent of a head that it tells. `present` also where it cannot be asked. */
export type Parent = 'unknown' | 'present' | 'absent'

/** Asks a node for the parent of its head: a head that no chain leads to has none. */
export interface ParentQuestion {
  readonly parent: Parent
  /** Asks once; later calls change nothing. */
  ask(head: Header): void
}

export interface ParentQuestionOptions {
  readonly endpoint: Endpoint
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
  /** Called when it is known. */
  readonly onNews: () => void
}

/** Behind a balancer the next node may not have the last blocks yet: it is asked so many times, with so many ms between. */
const mostTimes = 3
const betweenMs = 250
/** The most heights between a block and its parent: some chains leave out a few. */
const mostHeights = 16

export function createParentQuestion(options: ParentQuestionOptions): ParentQuestion {
  const { endpoint, reader, asker, clock, onNews } = options
  let isAsked = false
  let parent: Parent = 'unknown'

  function tell(what: Parent): void {
    parent = what
    onNews()
  }

  async function ask(head: Header, times: number): Promise<void> {
    const { number, parentHash } = head
    const request = number === 0 || parentHash === undefined ? undefined : reader.block?.(parentHash)
    if (request === undefined) return tell('present')
    const response = await asker.ask(endpoint, 'latest', request).catch(() => undefined)
    if (response === undefined || response.error !== undefined) return tell('present')
    const found = reader.positionOf(response)
    const heights = found?.hash === parentHash ? number - found!.number : 0
    if (heights > 0 && heights <= mostHeights) return tell('present')
    if (times < mostTimes) clock.after(betweenMs, () => void ask(head, times + 1))
    else tell('absent')
  }

  return {
    get parent() {
      return parent
    },
    ask(head) {
      if (isAsked) return
      isAsked = true
      // The look that asks has to end before it is known.
      void Promise.resolve().then(() => ask(head, 1))
    },
  }
}
