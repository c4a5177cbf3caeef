import { createHttpTransport, createRpcClient, RpcError } from '@wayleave/jsonrpc-core'
import { nullable, object, optional, text } from '@wayleave/jsonrpc-core/schema'

/** A funded account of a Starknet development chain. */
export interface StarknetDevAccount {
  readonly address: string
  readonly privateKey: string
  readonly publicKey: string
  /** What it has of ether, in wei, and of STRK, in fri. */
  readonly balance: { readonly wei: bigint; readonly fri: bigint }
}

/** What a Starknet node tells of its chain. */
export interface StarknetChain {
  /** As a text where it is one, such as `SN_SEPOLIA`, else as a felt in hex. */
  readonly chainId: string
  /** None where the node is no `starknet-devnet`; without those that it lists in a way of its own. */
  readonly accounts: readonly StarknetDevAccount[]
}

/** Asks the node at an http(s) URL what chain it has. Rejects with an `RpcError` where it gives none in ten seconds. */
export async function readStarknetChain(
  url: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<StarknetChain> {
  const { signal } = options
  const client = createRpcClient(createHttpTransport({ url }), { timeoutMs: 10_000 })
  const given = signal === undefined ? {} : { signal }
  const chainId = await client.requestUnchecked<unknown>('starknet_chainId', [], given)
  if (typeof chainId !== 'string' || !/^0x[\da-f]{1,64}$/i.test(chainId)) {
    throw new RpcError('invalid_response', 'starknet_chainId: expected a felt in hex, got something else')
  }
  const accounts = await client
    .requestUnchecked<unknown>('devnet_getPredeployedAccounts', { with_balance: true }, given)
    .catch((thrown: unknown) => {
      // Any other node does not have the method, and what stands before it may say so in its own way.
      if (thrown instanceof RpcError && notThere.has(thrown.code)) return []
      throw thrown
    })
  return {
    chainId: readable(chainId),
    accounts: Array.isArray(accounts) ? accounts.filter(isListed).map(accountOf) : [],
  }
}

const notThere = new Set<RpcError['code']>(['rpc', 'http_status', 'invalid_response'])

/** An account as starknet-devnet lists it. */
interface ListedAccount {
  readonly address: string
  readonly private_key: string
  readonly public_key: string
  readonly initial_balance: string
  readonly balance?: { readonly eth: { readonly amount: string }; readonly strk: { readonly amount: string } } | null
}

const hex = text('a number in hex', /^0x[\da-f]{1,64}$/i)
const amount = text('an amount', /^\d{1,78}$/)
const balanceSchema = object<{ readonly amount: string }>('a balance', { amount })
const listedSchema = object<ListedAccount>('an account', {
  address: hex,
  private_key: hex,
  public_key: hex,
  initial_balance: amount,
  balance: optional(
    nullable(object<NonNullable<ListedAccount['balance']>>('balances', { eth: balanceSchema, strk: balanceSchema })),
  ),
})

/** The node may be anybody's, and what it says is shown in a terminal. */
function isListed(value: unknown): value is ListedAccount {
  return listedSchema.check(value, '') === undefined
}

function accountOf(listed: ListedAccount): StarknetDevAccount {
  const { address, private_key: privateKey, public_key: publicKey, initial_balance: initial, balance } = listed
  const wei = BigInt(balance?.eth.amount ?? initial)
  const fri = BigInt(balance?.strk.amount ?? initial)
  return { address, privateKey, publicKey, balance: { wei, fri } }
}

/**
 * A felt as the short text that it stands for, a byte a character; what a terminal should not be shown stays a felt.
 * Its own, since `decodeShortString` lets control characters pass and a development node needs no tables of methods.
 */
function readable(felt: string): string {
  const digits = felt.slice(2).replace(/^0+/, '')
  const short = Buffer.from(digits, 'hex').toString('latin1')
  return digits.length % 2 === 0 && /^[\x21-\x7e]+$/.test(short) ? short : felt
}
