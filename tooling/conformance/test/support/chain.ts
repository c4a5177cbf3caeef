import { devAccounts } from '@wayleave/dev-node'
import { setTimeout as sleep } from 'node:timers/promises'
import { initCode } from './contract.ts'
import { ask } from './http.ts'

export const [alice, bob] = devAccounts as [(typeof devAccounts)[number], (typeof devAccounts)[number]]

/** Sends a transaction from Alice's unlocked account, and gives its receipt. */
export async function transact(url: string, transaction: object): Promise<Record<string, string>> {
  const hash = await ask(url, 'eth_sendTransaction', [{ from: alice.address, ...transaction }])
  for (;;) {
    const receipt = (await ask(url, 'eth_getTransactionReceipt', [hash])) as Record<string, string> | null
    if (receipt !== null) return receipt
    await sleep(5)
  }
}

/** Deploys the contract directly, and stores 42 in it. */
export async function deployDirectly(
  url: string,
): Promise<{ readonly address: `0x${string}`; readonly storedIn: `0x${string}` }> {
  const { contractAddress } = await transact(url, { data: initCode })
  const stored = await transact(url, { to: contractAddress, data: `0x6057361d${(42).toString(16).padStart(64, '0')}` })
  return { address: contractAddress as `0x${string}`, storedIn: stored['transactionHash'] as `0x${string}` }
}
