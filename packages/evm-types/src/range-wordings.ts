import type { NodeWording } from './node-wording.ts'

/** One row of {@link rangeWordings}. */
export interface RangeWording extends NodeWording {
  readonly of: 'blocks' | 'results'
  /** Found anywhere in the words. Its groups: the most blocks, and `k` for thousands. */
  readonly pattern: RegExp
}

/** A number of blocks: `10000`, `10,000`, `2K`; not the digits behind a minus sign. */
const number = String.raw`(?<![-\d])(\d{1,3}(?:[,.]\d{3})+|\d+)(k?)\b`
const words = (pattern: string): RegExp => new RegExp(pattern.replaceAll('<blocks>', number), 'i')
const blocks = (pattern: string, source: string): RangeWording => ({
  kind: 'range_too_large',
  of: 'blocks',
  pattern: words(pattern),
  source,
})
const results = (
  pattern: string,
  source: string,
  kind: 'range_too_large' | 'response_too_large' | 'timeout' = 'range_too_large',
): RangeWording => ({ kind, of: 'results', pattern: words(pattern), source })

/**
 * How nodes word their refusals and limits of ranges; the first row that matches wins. Rows of {@link nodeWordings}, in its order. The words stand in comments
 * as they were read in public code, threads and test vectors (ponder `getLogsRetryHelper`, eRPC `error_normalizer.go`, chainlink
 * `client/errors_test.go`), or in the node.
 */
export const rangeWordings: readonly RangeWording[] = [
  // First: "You can make eth_getLogs requests with up to a 2K block range … or …", whose answers may be of any size.
  results('any block range with a cap of', 'Alchemy'),

  // INFURA/infura#237
  blocks(String.raw`range [\d -]+ exceeds (?:the )?limit of <blocks>`, 'Infura'),
  // coreth "requested too many blocks from 0 to 5000, maximum is set to 2048"; Sei "a maximum of 2000 blocks worth of logs may be requested at a time"
  blocks(
    'max(?:imum)? (?:is set to|allowed is|allowed number of requested blocks is|of) <blocks>(?! (?:results|logs))',
    'Avalanche, Sei, thirdweb, Tenderly',
  ),
  // cdk-erigon#1706 "max range: 800"; reth "query exceeds max block range 100000"; ponder#1940
  blocks(
    '(?:max range|max(?:imum)? block range|blocks distance)(?: is)?:? <blocks>',
    'Cloudflare, cdk-erigon, reth, PublicNode, Ankr',
  ),
  // -32614 "eth_getLogs is limited to a 10,000 range"; 1RPC "0 - 50 blocks range"
  blocks(
    'limited to (?:an? )?(?:0 ?- ?)?<blocks>[ -](?:blocks? ?)?(?:range|blocks?)',
    'QuickNode, Base, Monad, 1RPC, Blast, BlockPI',
  ),
  blocks('(?:range is limited to|too wide blocks? range, the limit is) <blocks>', 'BlockPI, Kava, SimplyVC'),
  // "Under the Free tier plan … up to a 10 block range"
  blocks('up to an? <blocks>[ -]block range', 'Alchemy, Aurora'),
  // "cannot query logs over more than 100 blocks"
  blocks('(?:at most|more than) <blocks> blocks', 'Coinbase'),
  // Code 35; the free plan allows 100 and says 10000.
  blocks('ranges over <blocks> blocks', 'dRPC'),
  // proxyd "block range greater than 10000 max": Ink, Mantle, X Layer, Swell
  blocks('block range (?:greater than|exceeds) <blocks>', 'OP Stack, Somnia'),
  // "block range is too wide (maximum 1024)"; "range is too large, max is 10k blocks"; "filter span too large: max 2880 epochs"
  blocks(
    String.raw`(?:range|span) (?:is )?too (?:wide|large)[ ,:(]{1,3}max(?:imum)?(?: is)?:? <blocks>`,
    'Moonbeam, Merkle, Filecoin',
  ),
  // --rpc.blockrange.limit, erigon#19721
  blocks('block range exceeds server limit, narrow your filter: <blocks>', 'erigon'),
  // ponder#1841
  blocks('must be smaller than size <blocks>', 'Harmony'),
  blocks(String.raw`allowed for your plan \(\d+ > <blocks>\)`, 'Blast'),

  // Infura -32005; nethermind EthRpcModule; erigon --rpc.logs.maxresults
  results(
    '(?:more than|max(?:imum)?|exceeds?) [\\d,]* ?(?:results|logs)|max results|max logs per response|too many (?:results|logs)',
    'Infura, zkSync, Kaia, reth, Ankr, nethermind, erigon',
  ),
  results(
    'logs matched by query|log response size|^response size exceeded|block range should work',
    'Arbitrum, Alchemy, zkSync behind proxies',
  ),
  // go-ethereum rpc/errors.go; OP Stack proxyd
  results('response (?:is )?too (?:large|big)|response size', 'go-ethereum, jsonrpsee, 1RPC', 'response_too_large'),
  results('query time(?:out|d out)', 'Infura, BNB Smart Chain, Alchemy', 'timeout'),
  // go-ethereum eth/filters; XDC "exceed max block range"; Hyperliquid "invalid block range"; Chainstack "Block range limit exceeded."
  blocks(
    '(?:\\d|max(?:imum)?) block range|block range (?:\\d|(?:is )?(?:too|limit|larger|greater|bigger|exceeds))|^invalid block range\\s*$|blocks? distance',
    'go-ethereum, XDC, Hyperliquid, Chainstack, Ankr, Base',
  ),
  // besu RpcErrorType; Scroll l2geth; Conduit -32012; BNB Smart Chain at PublicNode -32701, where no address is named
  blocks(
    'maxBlockRange|maximum RPC range|too many blocks|\\brange (?:is )?too (?:wide|large)|range \\d+ exceeds|exceeds the range|specify an address in your request',
    'besu, Avalanche, Scroll, Conduit, PublicNode',
  ),
]
