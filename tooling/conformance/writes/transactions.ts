import { keccak256, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** A signed transaction. */
export interface Prepared {
  readonly raw: Hex
  readonly hash: Hex
  /** In lower case. */
  readonly sender: string
  readonly nonce: number
}

/** Signs a transfer of `value` wei. `key`: the secret of its sender. */
export async function prepare(key: Hex, nonce: number, chainId: number, value: bigint): Promise<Prepared> {
  const account = privateKeyToAccount(key)
  const raw = await account.signTransaction({
    chainId,
    nonce,
    value,
    to: '0x3535353535353535353535353535353535353535',
    gas: 21_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  return { raw, hash: keccak256(raw), sender: account.address.toLowerCase(), nonce }
}

/** Signs one transaction of each of `count` senders; of each twentieth sender a second one with the same nonce. */
export async function prepareMany(count: number): Promise<readonly Prepared[]> {
  const all: Prepared[] = []
  for (let i = 1; all.length < count; i++) {
    const key = `0x${i.toString(16).padStart(64, '0')}` as const
    all.push(await prepare(key, 0, 1, 1n))
    if (i % 20 === 0 && all.length < count) all.push(await prepare(key, 0, 1, 2n))
  }
  return all
}
