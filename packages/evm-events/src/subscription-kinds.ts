import { resumeFrom } from './wanted-events.ts'

/** The arguments after the kind's name: the most, the least, and the error of a wrong first one, in geth's words. */
interface SubscriptionKind {
  readonly most: number
  readonly least: number
  readonly problem: (argument: unknown) => string | undefined
}

/** The kinds of `eth_subscribe` whose arguments are checked, by name. A new kind is a row here. */
export const subscriptionKinds: Readonly<Record<string, SubscriptionKind>> = {
  newHeads: { most: 1, least: 0, problem: optionsProblem },
  logs: { most: 1, least: 1, problem: (filter) => logFilterProblem(filter) ?? placeProblem(filter) },
  transactionReceipts: { most: 1, least: 0, problem: receiptsProblem },
  syncing: { most: 0, least: 0, problem: () => undefined },
  newPendingTransactions: { most: 1, least: 0, problem: flagProblem },
}

/** The most transactions that a subscription to receipts may name, as in geth. */
const mostHashes = 200

function receiptsProblem(query: unknown): string | undefined {
  const problem = objectProblem(query, 'a receipts query')
  if (problem !== undefined) return problem
  const { transactionHashes } = Object(query) as { readonly transactionHashes?: unknown }
  if (transactionHashes === undefined || transactionHashes === null) return undefined
  if (!Array.isArray(transactionHashes)) return 'transactionHashes: expected an array of hashes'
  if (transactionHashes.length > mostHashes) return `transactionHashes: at most ${mostHashes} hashes`
  for (const hash of transactionHashes as unknown[]) {
    const wrong =
      typeof hash === 'string' ? hexProblem(hash, 32, 'common.Hash') : `expected a hash, not ${jsonType(hash)}`
    if (wrong !== undefined) return `transactionHashes: ${wrong}`
  }
  return undefined
}

function optionsProblem(options: unknown): string | undefined {
  return objectProblem(options, 'options of newHeads') ?? placeProblem(options)
}

function objectProblem(value: unknown, what: string): string | undefined {
  if (value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
  return `json: cannot unmarshal ${jsonType(value)} into ${what}`
}

function placeProblem(argument: unknown): string | undefined {
  const from = resumeFrom(argument)
  return from !== undefined && 'problem' in from ? from.problem : undefined
}

function flagProblem(flag: unknown): string | undefined {
  if (flag === undefined || flag === null || typeof flag === 'boolean') return undefined
  return `json: cannot unmarshal ${jsonType(flag)} into Go value of type bool`
}

/** The JSON type of a value, as geth's errors name it. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

/** The most addresses of a filter, and the most topics at one of its positions, as in geth. */
const mostValues = 1_000
const tooMany = 'exceed max addresses or topics per search position'

/** The error of a wrong filter of logs, in geth's words; its blocks are not looked at. */
export function logFilterProblem(filter: unknown): string | undefined {
  if (filter === null) return undefined
  if (typeof filter !== 'object' || Array.isArray(filter)) {
    return `json: cannot unmarshal ${Array.isArray(filter) ? 'array' : typeof filter} into a log filter`
  }
  const { address, topics } = filter as { readonly address?: unknown; readonly topics?: unknown }
  return addressProblem(address) ?? topicsProblem(topics)
}

function addressProblem(address: unknown): string | undefined {
  if (address === undefined || address === null) return undefined
  if (typeof address === 'string') return prefixed('invalid address', hexProblem(address, 20, 'address'))
  if (!Array.isArray(address)) return 'invalid addresses in query'
  if (address.length > mostValues) return tooMany
  for (const [i, one] of (address as unknown[]).entries()) {
    if (typeof one !== 'string') return `non-string address at index ${i}`
    const problem = prefixed(`invalid address at index ${i}`, hexProblem(one, 20, 'address'))
    if (problem !== undefined) return problem
  }
  return undefined
}

function topicsProblem(topics: unknown): string | undefined {
  if (topics === undefined || topics === null) return undefined
  if (!Array.isArray(topics)) return 'invalid topic(s)'
  if (topics.length > 4) return 'exceed max topics'
  if ((topics as unknown[]).some((wanted) => Array.isArray(wanted) && wanted.length > mostValues)) return tooMany
  for (const topic of (topics as unknown[]).flat()) {
    if (topic === null) continue
    const problem = typeof topic === 'string' ? hexProblem(topic, 32, 'topic') : 'invalid topic(s)'
    if (problem !== undefined) return problem
  }
  return undefined
}

function hexProblem(text: string, bytes: number, what: string): string | undefined {
  if (text === '') return 'empty hex string'
  if (!/^0x/i.test(text)) return 'hex string without 0x prefix'
  const digits = text.length - 2
  if (digits % 2 === 1) return 'hex string of odd length'
  if (!/^[\da-f]*$/i.test(text.slice(2))) return 'invalid hex string'
  if (digits === 2 * bytes) return undefined
  return `hex has invalid length ${digits / 2} after decoding; expected ${bytes} for ${what}`
}

function prefixed(prefix: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${prefix}: ${problem}`
}
