import { type Clock, createContext, isStream, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'

/** The votes of a network's nodes on blocks that the gateway chose, such as its head. */
export interface BlockVotes {
  /** Whether most nodes have a block. Never rejects. A block that too few had is asked about again after two seconds. */
  have(hash: string): Promise<boolean>
}

/** Blocks that are remembered. */
const mostBlocks = 256
/** Time after which a block that too few had is asked about again, in ms. */
const againMs = 2_000
/** Longest time of a vote, in ms. A voter of a quorum takes a quarter of it at most. */
const voteMs = 8_000

interface Count {
  readonly at: number
  /** Whether it has ended, and too few had the block. */
  isLost: boolean
  readonly answer: Promise<boolean>
}

/** Creates the votes of `voters`, of whom `atLeast` have to have a block. Each is asked once for a block. */
export function createBlockVotes(voters: readonly RpcHandler[], atLeast: number, clock: Clock): BlockVotes {
  const asked = new Map<string, Count>()

  async function vote(voter: RpcHandler, hash: string): Promise<boolean> {
    const context = createContext({ clock, timeoutMs: voteMs })
    try {
      const request = { method: 'eth_getBlockByHash', params: rawJsonFromValue([hash, false]), notification: false }
      const { result, error } = await voter(request, context)
      if (error !== undefined || isStream(result)) return false
      const block = Object(result.value()) as { readonly hash?: unknown }
      return typeof block.hash === 'string' && block.hash.toLowerCase() === hash
    } catch {
      return false
    } finally {
      context.release()
    }
  }

  /** Resolves as soon as the votes that are left cannot change it. */
  function countVotes(hash: string): Promise<boolean> {
    return new Promise((resolve) => {
      let [having, left] = [0, voters.length]
      for (const voter of voters) {
        void vote(voter, hash).then((has) => {
          left--
          if (has) having++
          if (having >= atLeast) resolve(true)
          else if (having + left < atLeast) resolve(false)
        })
      }
    })
  }

  return {
    have(hash) {
      const before = asked.get(hash)
      const now = clock.now()
      if (before !== undefined && (!before.isLost || now - before.at < againMs)) return before.answer
      const answer = countVotes(hash)
      const count: Count = { at: now, isLost: false, answer }
      asked.set(hash, count)
      void answer.then((has) => void (count.isLost = !has))
      for (const oldest of asked.keys()) {
        if (asked.size <= mostBlocks) break
        asked.delete(oldest)
      }
      return answer
    },
  }
}
