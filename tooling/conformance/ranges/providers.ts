import { readFileSync } from 'node:fs'
import { countLogs, type Search } from './chain.ts'

/** A node's reaction to a search: an error, with a status where it is not 200; or it says nothing. Undefined: it answers. */
export type Reaction =
  | { readonly code: number; readonly message: string; readonly data?: unknown; readonly status?: number }
  | 'cut'
  | 'hang'
  | `http ${number}`

/** A provider's limit in its own words. */
export interface Provider {
  readonly name: string
  /** The limit that it allows, for the report. */
  readonly allows: string
  /** `blocks`: it says that it is for the blocks; `unsaid`: it does not; `results`: by what is found; `hostile`: it refuses everything. */
  readonly limit: 'blocks' | 'unsaid' | 'results' | 'hostile'
  react(search: Search): Reaction | undefined
}

const longer = (most: number, react: (blocks: number, search: Search) => Reaction) => (search: Search) => {
  const blocks = search.to - search.from + 1
  return blocks > most ? react(blocks, search) : undefined
}
const fuller = (most: number, react: (search: Search) => Reaction) => (search: Search) =>
  countLogs(search) > most ? react(search) : undefined
const proposed = ({ from }: Search): string => `[0x${from.toString(16)}, 0x${(from + 4_900).toString(16)}]`

const blocks = (name: string, most: number, react: (blocks: number, search: Search) => Reaction): Provider => ({
  name,
  allows: `${most.toLocaleString('en')} blocks`,
  limit: 'blocks',
  react: longer(most, react),
})
const unsaid = (...limit: Parameters<typeof blocks>): Provider => ({ ...blocks(...limit), limit: 'unsaid' })
const results = (name: string, message: (search: Search) => string, code: number): Provider => ({
  name,
  allows: '10,000 results',
  limit: 'results',
  react: fuller(10_000, (search) => ({ code, message: message(search) })),
})
const hostile = (claims: string, message: (nth: number) => string): Provider => {
  let nth = 0
  return {
    name: `claims ${claims}`,
    allows: 'nothing',
    limit: 'hostile',
    react: () => ({ code: -32_000, message: message(nth++) }),
  }
}

const says = (code: number, message: string) => (): Reaction => ({ code, message })

/** Providers in words that were read of them; `packages/evm-types/src/range-wordings.ts` names the sources. */
export const providers: readonly Provider[] = [
  blocks('QuickNode free, HTTP 413', 5, () => ({
    code: -32_615,
    message: 'eth_getLogs is limited to a 5 range',
    status: 413,
  })),
  blocks('Alchemy free', 10, (_blocks, { from }) => ({
    code: -32_600,
    message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + 9).toString(16)}]. Upgrade to PAYG for expanded block range.`,
  })),
  blocks('erigon', 1_000, says(-32_000, 'query block range exceeds server limit, narrow your filter: 1000')),
  blocks('BlockPI', 1_000, says(-32_602, 'eth_getLogs is limited to 1000 block range')),
  blocks('Infura', 10_000, (count) => ({ code: -32_602, message: `range ${count} exceeds limit of 10000` })),
  blocks('PublicNode', 10_000, says(-32_701, 'exceed maximum block range: 10000')),
  blocks('Ankr, no number', 1_000, says(-32_600, 'block range is too wide')),
  blocks('besu, no number', 5_000, says(-32_005, 'Requested range exceeds maximum RPC range limit')),
  blocks('Tenderly', 1_000, says(-32_602, 'Maximum allowed number of requested blocks is 1000')),
  blocks('Sei', 2_000, says(-32_000, 'a maximum of 2000 blocks worth of logs may be requested at a time')),
  blocks('Hyperliquid, no number', 1_000, says(-32_602, 'invalid block range')),
  blocks('dRPC free, a wrong number', 100, says(35, 'ranges over 10000 blocks are not supported on free plan')),
  unsaid('BNB Smart Chain, no word of ranges', 5_000, says(-32_005, 'limit exceeded')),
  unsaid('fails inside', 1_000, says(-32_603, 'Internal error')),
  unsaid('HTTP 500', 1_000, () => 'http 500'),
  unsaid('HTTP 502', 1_000, () => 'http 502'),
  unsaid('HTTP 504', 1_000, () => 'http 504'),
  unsaid('closes the connection', 1_000, () => 'cut'),
  unsaid('never answers', 1_000, () => 'hang'),
  results(
    'Infura, proposes',
    (search) => `query returned more than 10000 results. Try with this block range ${proposed(search)}.`,
    -32_005,
  ),
  results(
    'reth, proposes the same',
    ({ from, to }) => `query exceeds max results 10000, retry with the range ${from}-${to}`,
    -32_602,
  ),
  results('Arbitrum, proposes nothing', () => 'logs matched by query exceeds limit of 10000', -32_000),
  hostile('limit 0', () => 'exceed maximum block range: 0'),
  hostile('limit 99999999999999', () => 'exceed maximum block range: 99999999999999'),
  hostile('a negative limit', () => 'exceed maximum block range: -1000'),
  hostile('a limit that falls', (nth) => `exceed maximum block range: ${Math.max(1, 20_000 - nth)}`),
  hostile('9 MB of words', () => `block range is too large: ${'1000 '.repeat(1_800_000)}`),
]

interface Worded {
  readonly service: string
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly httpStatus?: number
}
const vectors = new URL('../../../packages/evm-types/test/vectors/refused-ranges.json', import.meta.url)

/** Providers that allow 100 blocks, each in words of its own, or without any. */
export const wordedProviders: readonly Provider[] = (
  JSON.parse(readFileSync(vectors, 'utf8')) as { readonly cases: readonly Worded[] }
).cases.map(({ service, error, httpStatus }) =>
  blocks(service, 100, () =>
    error === undefined ? `http ${httpStatus!}` : { ...error, ...(httpStatus !== undefined && { status: httpStatus }) },
  ),
)

/** Makes a provider that fails longer ranges than it allows without a word of them. */
export const failingBeyond = (most: number, reaction: Reaction): Provider =>
  unsaid(`fails beyond ${most} by ${JSON.stringify(reaction)}`, most, () => reaction)
