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
 * How nodes word their refusals and limits of ranges; the first row that matches wins. Rows of {@link nodeWordings}, in its order. Sources are the words
 * as they were read in public code, threads and test vectors (ponder `getLogsRetryHelper`, eRPC `error_normalizer.go`, chainlink
 * `client/errors_test.go`), or in the node.
 */
export const rangeWordings: readonly RangeWording[] = [
  // First: these words go on with a number of blocks whose answers may be of any size.
  results(
    'any block range with a cap of',
    'Alchemy: "You can make eth_getLogs requests with up to a 2K block range … or …"',
  ),

  blocks(String.raw`range [\d -]+ exceeds (?:the )?limit of <blocks>`, 'Infura, INFURA/infura#237'),
  blocks(
    'max(?:imum)? (?:is set to|allowed is|allowed number of requested blocks is|of) <blocks>(?! (?:results|logs))',
    'Avalanche coreth "requested too many blocks from 0 to 5000, maximum is set to 2048"; Sei "a maximum of 2000 blocks worth of logs may be requested at a time"; thirdweb, Tenderly',
  ),
  blocks(
    '(?:max range|max(?:imum)? block range|blocks distance)(?: is)?:? <blocks>',
    'Cloudflare, cdk-erigon#1706 "max range: 800"; reth and Hyperliquid "query exceeds max block range 100000"; PublicNode; Ankr, Cronos, ponder#1940',
  ),
  blocks(
    'limited to (?:an? )?(?:0 ?- ?)?<blocks>[ -](?:blocks? ?)?(?:range|blocks?)',
    'QuickNode -32614 "eth_getLogs is limited to a 10,000 range"; Base; Monad; 1RPC "0 - 50 blocks range"; Blast; BlockPI',
  ),
  blocks('(?:range is limited to|too wide blocks? range, the limit is) <blocks>', 'BlockPI, Kava; SimplyVC: chainlink'),
  blocks('up to an? <blocks>[ -]block range', 'Alchemy "Under the Free tier plan … up to a 10 block range"; Aurora'),
  blocks(
    '(?:at most|more than) <blocks> blocks',
    'Coinbase: ponder; a service: "cannot query logs over more than 100 blocks"',
  ),
  blocks('ranges over <blocks> blocks', 'dRPC, code 35; its free plan allows 100 and says 10000'),
  blocks(
    'block range (?:greater than|exceeds) <blocks>',
    'OP Stack proxyd "block range greater than 10000 max": Ink, Mantle, X Layer, Swell; Somnia',
  ),
  blocks(
    String.raw`(?:range|span) (?:is )?too (?:wide|large)[ ,:(]{1,3}max(?:imum)?(?: is)?:? <blocks>`,
    'Moonbeam "block range is too wide (maximum 1024)"; Merkle "range is too large, max is 10k blocks"; Filecoin "filter span too large: max 2880 epochs"',
  ),
  blocks(
    'block range exceeds server limit, narrow your filter: <blocks>',
    'erigon --rpc.blockrange.limit, erigon#19721',
  ),
  blocks('must be smaller than size <blocks>', 'Harmony: ponder#1841'),
  blocks(String.raw`allowed for your plan \(\d+ > <blocks>\)`, 'Blast: ponder'),

  results(
    '(?:more than|max(?:imum)?|exceeds?) [\\d,]* ?(?:results|logs)|max results|max logs per response|too many (?:results|logs)',
    'Infura -32005, zkSync, polygon zkEVM, Kaia; reth, LlamaRPC, Ankr; nethermind EthRpcModule; erigon --rpc.logs.maxresults',
  ),
  results(
    'logs matched by query|log response size|^response size exceeded|block range should work',
    'Arbitrum; Alchemy, 1RPC; zkSync behind proxies',
  ),
  results(
    'response (?:is )?too (?:large|big)|response size',
    'go-ethereum rpc/errors.go; jsonrpsee in reth; OP Stack proxyd; 1RPC',
    'response_too_large',
  ),
  results('query time(?:out|d out)', 'Infura, BNB Smart Chain, Alchemy', 'timeout'),
  blocks(
    '(?:\\d|max(?:imum)?) block range|block range (?:\\d|(?:is )?(?:too|limit|larger|greater|bigger|exceeds))|^invalid block range$|blocks? distance',
    'go-ethereum eth/filters; XDC "exceed max block range"; Hyperliquid "invalid block range"; Chainstack "Block range limit exceeded.", Ankr, Base',
  ),
  blocks(
    'maxBlockRange|maximum RPC range|too many blocks|\\brange (?:is )?too (?:wide|large)|range \\d+ exceeds|exceeds the range|specify an address in your request',
    'besu RpcErrorType, Avalanche, Scroll l2geth, Conduit -32012; BNB Smart Chain at PublicNode -32701, without an address',
  ),
]
