import { setTimeout as sleep } from 'node:timers/promises'
import { devAccounts } from '@wayleave/dev-node'
import { getCreateAddress, JsonRpcProvider, Wallet } from 'ethers'
import { initCode } from '../../test/support/contract.ts'
import { fees } from '../clients/client.ts'

/** An account that no client of the rig has. */
const { address: from, privateKey } = devAccounts.at(-1)!
const everyMs = 2_000

/** The contract whose events are indexed: the first transaction of its account creates it. */
export const storeAddress = getCreateAddress({ from, nonce: 0 })

/** Creates the contract, and stores a value in it every two seconds, until the signal aborts. What fails is left out. */
export async function storeValues(url: string, chainId: number, signal: AbortSignal): Promise<void> {
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true })
  const wallet = new Wallet(privateKey)
  while (!signal.aborted) {
    try {
      const nonce = await provider.getTransactionCount(from, 'pending')
      const value = nonce.toString(16).padStart(64, '0')
      const what = nonce === 0 ? { data: initCode } : { to: storeAddress, data: `0x6057361d${value}` }
      const request = { ...what, nonce, chainId, type: 2, gasLimit: 500_000n, ...fees }
      await provider.broadcastTransaction(await wallet.signTransaction(request))
    } catch {
      // Other clients of the rig judge sending.
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
  provider.destroy()
}
