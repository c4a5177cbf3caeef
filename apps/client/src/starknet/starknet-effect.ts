const names = /^starknet_(?:(add)|get|trace|simulate|estimate|block|(?:call|chainId|specVersion|syncing)$)/

/** What a `starknet_*` method does, told by its name, as the tables load later; undefined for one of no version, and for subscriptions. */
export function starknetEffect(method: string): 'read' | 'write' | undefined {
  const match = names.exec(method)
  if (match === null) return undefined
  return match[1] === undefined ? 'read' : 'write'
}
