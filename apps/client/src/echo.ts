import { isStream, RpcError, type RpcContext, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import { describeValue } from '@wayleave/jsonrpc-core/schema'

type Members = Readonly<Record<string, unknown>>

/** The members in which an answer, or each element of it, repeats the params of its question, in their order. */
const repeated: Members = {
  eth_getBlockByHash: 'hash',
  eth_getBlockByNumber: 'number',
  eth_getBlockReceipts: 'blockNumber',
  eth_getHeaderByHash: 'hash',
  eth_getHeaderByNumber: 'number',
  eth_getLogs: '',
  eth_getProof: 'address',
  eth_getTransactionByBlockHashAndIndex: 'blockHash transactionIndex',
  eth_getTransactionByBlockNumberAndIndex: 'blockNumber transactionIndex',
  eth_getTransactionByHash: 'hash',
  eth_getTransactionBySenderAndNonce: 'from nonce',
  eth_getTransactionReceipt: 'transactionHash',
  starknet_getBlockWithReceipts: '',
  starknet_getBlockWithTxHashes: '',
  starknet_getBlockWithTxs: '',
  starknet_getTransactionByHash: 'transaction_hash',
  starknet_getTransactionReceipt: 'transaction_hash',
}

/**
 * Checks that an answer is to its question: blocks, transactions, receipts, logs and proofs name the hash, number, index or address
 * that was asked for. Nothing is hashed, so that it holds on every chain. Null passes.
 * @throws RpcError `invalid_response`
 */
export function assertEcho(method: string, params: unknown, answer: unknown): void {
  const isKnown = Object.hasOwn(repeated, method) && (Array.isArray(params) || !method.startsWith('eth'))
  if (!isKnown || typeof answer !== 'object' || answer === null) return
  const list: unknown[] = Object.values(Object(params))
  const assertOne =
    method === 'eth_getLogs' ? logAssertion(Object(list[0]) as Members) : assertionOf(String(repeated[method]), list)
  for (const one of [answer].flat() as unknown[]) {
    const wrong = assertOne(Object(one) as Members)
    if (wrong === undefined) continue
    const [name, asked, reported] = wrong
    const message = `the answer is to another question: asked for ${name} ${describeValue(asked)}, got ${describeValue(reported)}`
    throw new RpcError('invalid_response', `${method}: ${message}`)
  }
}

/** Checks the answers that pass through a handler. A stream passes. */
export const echoing: RpcMiddleware<RpcContext> = (next) => async (request, context) => {
  const response = await next(request, context)
  const { method, params } = request
  if (Object.hasOwn(repeated, method) && response.error === undefined && !isStream(response.result)) {
    assertEcho(method, params?.value(), response.result.value())
  }
  return response
}

/** Returns the member that differs, with the value that was asked for and the one that came. */
type Assertion = (reported: Members) => readonly [name: string, asked: unknown, reported: unknown] | undefined

function assertionOf(names: string, params: readonly unknown[]): Assertion {
  const [first] = params
  const isHash = names === 'blockNumber' && (first as string)?.length === 66
  // A block may be named by an object that says how (EIP-1898, Starknet).
  const asked: readonly (readonly [string, unknown])[] =
    typeof first === 'object'
      ? Object.entries(first ?? {})
      : (isHash ? 'blockHash' : names).split(' ').map((name, i) => [name, params[i]])
  const places = asked.filter(([, value]) => isPlace(value))
  return (reported) => {
    for (const [name, value] of places) if (!isSame(value, reported[name])) return [name, value, reported[name]]
    if (names !== 'transactionHash' || !Array.isArray(reported['logs'])) return undefined
    const log = (reported['logs'] as unknown[]).find((each) => !isSame(first, (Object(each) as Members)[names]))
    return log === undefined ? undefined : [`logs.${names}`, first, (Object(log) as Members)[names]]
  }
}

function logAssertion({ address, blockHash, fromBlock, toBlock, topics }: Members): Assertion {
  const lists = [address, ...(Array.isArray(topics) ? (topics as unknown[]) : [])].map((any) =>
    ([any ?? []].flat() as unknown[]).map(lower),
  )
  return (reported) => {
    const { blockNumber: number } = reported
    if (isPlace(blockHash) && !isSame(blockHash, reported['blockHash']))
      return ['blockHash', blockHash, reported['blockHash']]
    if (isPlace(number) && isPlace(fromBlock) && BigInt(number) < BigInt(fromBlock))
      return ['fromBlock', fromBlock, number]
    if (isPlace(number) && isPlace(toBlock) && BigInt(number) > BigInt(toBlock)) return ['toBlock', toBlock, number]
    for (const [i, any] of lists.entries()) {
      const value = i === 0 ? reported['address'] : (Object(reported['topics']) as readonly unknown[])[i - 1]
      if (any.length === 0 || any.includes(null) || any.includes(lower(value))) continue
      return [i === 0 ? 'address' : `topics[${i - 1}]`, any.length === 1 ? any[0] : any, value]
    }
    return undefined
  }
}

function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

/** Tells whether a value is a number, a hash or an address, and no tag. */
function isPlace(value: unknown): value is string | number {
  return typeof value === 'string' ? /^(?:0x[\da-f]{1,80}|\d{1,80})$/i.test(value) : Number.isSafeInteger(value)
}

function isSame(asked: unknown, reported: unknown): boolean {
  return asked === reported || (isPlace(asked) && isPlace(reported) && BigInt(asked) === BigInt(reported))
}
