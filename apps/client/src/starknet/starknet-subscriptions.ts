const names = 'NewHeads Events TransactionStatus PendingTransactions NewTransactions NewTransactionReceipts'

interface Facts {
  readonly unsubscribe: string
  readonly event: string
}

/** The Starknet methods that open subscriptions, of all versions, as the tables load later. Source: starknet-specs. */
export const starknetSubscriptions: Readonly<Record<string, Facts>> = Object.fromEntries(
  names.split(' ').map((name) => [
    `starknet_subscribe${name}`,
    {
      unsubscribe: 'starknet_unsubscribe',
      event: `starknet_subscription${name.replace(/NewTransactions/, 'NewTransaction')}`,
    },
  ]),
)
