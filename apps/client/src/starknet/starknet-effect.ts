const names = /^starknet_(?:(add)|get|trace|simulate|estimate|block|(?:call|chainId|specVersion|syncing)$)/

/** Tells by its name whether a `starknet_*` method reads or writes, as the tables load later. Undefined for subscriptions and unknown methods. */
export function starknetEffect(method: string): 'read' | 'write' | undefined {
  const match = names.exec(method)
  if (match === null) return undefined
  return match[1] === undefined ? 'read' : 'write'
}
