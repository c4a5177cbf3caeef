import type { NodeError } from './node-error.ts'

/** The limit that a node names when it refuses a range of blocks, as `eth_getLogs` asks for one. */
export interface RangeLimit {
  /**
   * - `blocks`: the range has too many blocks, whatever it is searched for.
   * - `results`: it has too many results, too long an answer, or takes too long.
   * - `unknown`: the words do not tell.
   */
  readonly of: 'blocks' | 'results' | 'unknown'
  /** Most blocks of a range. Nodes count the first one or do not, so one more may pass. */
  readonly most?: number
  /** The range that the node proposes, both ends included. Some propose the one that they refused. */
  readonly proposed?: { readonly from: number; readonly to: number }
}

/** One row of {@link rangeWordings}. */
export interface RangeWording {
  readonly of: 'blocks' | 'results'
  /** Found anywhere in the words. Its groups: the most blocks, and `k` for thousands. */
  readonly pattern: RegExp
  /** The nodes and services that use these words. */
  readonly source: string
}

/** A number of blocks: `10000`, `10,000`, `2K`; not the digits behind a minus sign. */
const blocks = String.raw`(?<![-\d])(\d{1,3}(?:[,.]\d{3})+|\d+)(k?)\b`
const words = (pattern: string): RegExp => new RegExp(pattern.replaceAll('<blocks>', blocks), 'i')

/**
 * How nodes word their limits of ranges; the first row that matches wins. Sources are the words as they were read in public code,
 * threads and test vectors (ponder `getLogsRetryHelper`, eRPC `error_normalizer.go`, chainlink `client/errors_test.go`), or in the node.
 */
export const rangeWordings: readonly RangeWording[] = [
  {
    of: 'results',
    // First: these words go on with a number of blocks whose answers may be of any size.
    pattern: words('any block range with a cap of'),
    source: 'Alchemy: "You can make eth_getLogs requests with up to a 2K block range … or …"',
  },

  {
    of: 'blocks',
    pattern: words(String.raw`range [\d -]+ exceeds limit of <blocks>`),
    source: 'Infura, INFURA/infura#237',
  },
  {
    of: 'blocks',
    pattern: words('max(?:imum)? (?:is set to|allowed is|allowed number of requested blocks is) <blocks>'),
    source:
      'Avalanche coreth "requested too many blocks from 0 to 5000, maximum is set to 2048"; Sei; thirdweb, Tenderly',
  },
  {
    of: 'blocks',
    pattern: words('(?:max range|max(?:imum)? block range|blocks distance)(?: is)?:? <blocks>'),
    source:
      'Cloudflare, cdk-erigon#1706 "max range: 800"; reth "query exceeds max block range 100000"; PublicNode; Ankr, ponder#1940',
  },
  {
    of: 'blocks',
    pattern: words('limited to (?:an? )?(?:0 ?- ?)?<blocks>[ -](?:blocks? ?)?(?:range|blocks?)'),
    source:
      'QuickNode -32614 "eth_getLogs is limited to a 10,000 range"; Base; 1RPC "0 - 50 blocks range"; Blast; BlockPI',
  },
  { of: 'blocks', pattern: words('range is limited to <blocks>'), source: 'BlockPI, Kava' },
  {
    of: 'blocks',
    pattern: words('up to an? <blocks>[ -]block range'),
    source: 'Alchemy "Under the Free tier plan … up to a 10 block range"; Aurora',
  },
  { of: 'blocks', pattern: words('at most <blocks> blocks'), source: 'Coinbase: ponder' },
  {
    of: 'blocks',
    pattern: words('ranges over <blocks> blocks'),
    source: 'dRPC, code 35; its free plan allows 100 and says 10000',
  },
  {
    of: 'blocks',
    pattern: words('block range (?:greater than|exceeds) <blocks>'),
    source: 'OP Stack proxyd "block range greater than 10000 max": Ink, Mantle, X Layer, Swell; Somnia',
  },
  {
    of: 'blocks',
    pattern: words(String.raw`range (?:is )?too (?:wide|large)[ ,(]{1,3}max(?:imum)?(?: is)?:? <blocks>`),
    source: 'Moonbeam "block range is too wide (maximum 1024)"; Merkle "range is too large, max is 10k blocks"',
  },
  {
    of: 'blocks',
    pattern: words('block range exceeds server limit, narrow your filter: <blocks>'),
    source: 'erigon --rpc.blockrange.limit, erigon#19721',
  },
  { of: 'blocks', pattern: words('must be smaller than size <blocks>'), source: 'Harmony: ponder#1841' },
  { of: 'blocks', pattern: words('too wide blocks? range, the limit is <blocks>'), source: 'SimplyVC: chainlink' },
  { of: 'blocks', pattern: words(String.raw`allowed for your plan \(\d+ > <blocks>\)`), source: 'Blast: ponder' },

  {
    of: 'results',
    pattern: words(
      '(?:more than|max(?:imum)?|exceeds?) [\\d,]* ?(?:results|logs)|max results|max logs per response|too many (?:results|logs)',
    ),
    source:
      'Infura -32005, zkSync, polygon zkEVM; reth, LlamaRPC, Ankr; nethermind EthRpcModule; erigon --rpc.logs.maxresults',
  },
  {
    of: 'results',
    pattern: words('logs matched by query|response size|response (?:is )?too (?:large|big)|query time(?:out|d out)'),
    source: 'Arbitrum; Alchemy, 1RPC; go-ethereum rpc/errors.go, OP Stack proxyd; Infura, BNB Smart Chain',
  },
  {
    of: 'blocks',
    pattern: words(
      'block range|blocks? distance|maxBlockRange|maximum RPC range|too many blocks|range (?:is )?too (?:wide|large)',
    ),
    source: 'besu RpcErrorType, Chainstack "Block range limit exceeded.", Ankr, Scroll l2geth, Conduit -32012, Base',
  },
]

const proposedHex = /\[(0x[\da-f]{1,13}), ?(0x[\da-f]{1,13})\]/i
const proposedDecimal = /retry with the range (\d{1,15})-(\d{1,15})\b/i
/** Longest words that are read, in characters. */
const longest = 1_000

/**
 * Reads the limit that a node names in the first 1,000 characters of its error, whose `data` may hold words or, as Infura's, a range. Call
 * it only for errors that `classifyNodeError` takes for a refusal of the range or of the answer's size: other words may match, too.
 */
export function rangeLimitOf({ message, data }: NodeError): RangeLimit {
  const text = [message, data].map((part) => (typeof part === 'string' ? part.slice(0, longest) : '')).join(' ')
  const proposed = proposedIn(text) ?? proposedBy(data)
  const found = rangeWordings.find(({ pattern }) => pattern.test(text))
  if (found === undefined) return { of: 'unknown', ...(proposed && { proposed }) }
  const [, digits, k] = found.pattern.exec(text)!
  const most = found.of === 'blocks' && digits !== undefined ? numberOf(digits, k) : undefined
  return { of: found.of, ...(most && { most }), ...(proposed && { proposed }) }
}

/** No chain has more blocks than a safe integer, and no limit is 0. */
function numberOf(digits: string, k: string | undefined): number | undefined {
  const number = Number(digits.replaceAll(/[,.]/g, '')) * (k ? 1_000 : 1)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

function proposedIn(text: string): RangeLimit['proposed'] {
  const [, from, to] = proposedHex.exec(text) ?? proposedDecimal.exec(text) ?? []
  return rangeOf(Number(from), Number(to))
}

/** Infura: `data: { from: "0x…", to: "0x…", limit: 10000 }` (ethers-io/ethers.js#4703). */
function proposedBy(data: unknown): RangeLimit['proposed'] {
  const { from, to } = Object(data) as { readonly from?: unknown; readonly to?: unknown }
  if (typeof from !== 'string' || typeof to !== 'string' || from.length > 15 || to.length > 15) return undefined
  return rangeOf(Number(from || Number.NaN), Number(to || Number.NaN))
}

function rangeOf(from: number, to: number): RangeLimit['proposed'] {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from ? { from, to } : undefined
}
