import { answerParent } from '../starvation/measure/child.ts'
import { blockAt, type ChainPace, chainId, finalityLag, headAt, hex, readAt } from './cache-chain.ts'
import { type Call, type CallCounts, serveCalls } from './serve-calls.ts'

/* A node of the made-up chain, in a process of its own. Its parent asks it for the calls that came, by method. */

const calls: CallCounts = {}
let pace: ChainPace

/** The height that a block parameter names: a tag, a number, a hash or `{ blockHash }`. */
function heightOf(block: unknown): number {
  const named = (block as { readonly blockHash?: string } | undefined)?.blockHash ?? block
  const head = headAt(pace, Date.now())
  if (named === 'finalized') return head - finalityLag
  if (named === 'safe') return head - finalityLag / 2
  return typeof named === 'string' && named.startsWith('0x') ? Number(named) : head
}

function blockNamed(name: unknown): object | null {
  const height = heightOf(name)
  return height > headAt(pace, Date.now()) ? null : blockAt(pace, height)
}

function resultOf({ method, params = [] }: Call): unknown {
  switch (method) {
    case 'eth_chainId':
      return hex(chainId)
    case 'net_version':
      return String(chainId)
    case 'eth_syncing':
      return false
    case 'eth_blockNumber':
      return hex(headAt(pace, Date.now()))
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return blockNamed(params[0])
    case 'eth_getBalance':
      return readAt(String(params[0]), heightOf(params[1]))
    default:
      return undefined
  }
}

function start(given: ChainPace): Promise<string> {
  pace = given
  return serveCalls(resultOf, calls)
}

/** The calls since it was asked last, by method. */
function takeCalls(): CallCounts {
  const taken = { ...calls }
  for (const method of Object.keys(calls)) delete calls[method]
  return taken
}

answerParent({ start, takeCalls })
