/** What is wrong with the filter of a `logs` subscription, as geth says it; undefined where nothing is. */
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
