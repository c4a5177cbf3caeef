import { createHttpTransport, createRpcClient, RpcError } from '@wayleave/jsonrpc-core'
import { nullable, object, optional, text } from '@wayleave/jsonrpc-core/schema'

/** A funded account of a Starknet development chain. */
export interface StarknetDevAccount {
  readonly address: string
  readonly privateKey: string
  readonly publicKey: string
  /** Ether in wei, and STRK in fri. */
  readonly balance: { readonly wei: bigint; readonly fri: bigint }
}

/** A Starknet node's chain. */
export interface StarknetChain {
  /** A short text such as `SN_SEPOLIA`, or else a felt in hex. */
  readonly chainId: string
  /** The version of the Starknet RPC that the node speaks, such as `0.10.0`; undefined if it tells none. */
  readonly specVersion: string | undefined
  /** Empty if the node is no `starknet-devnet`; accounts listed in another form are left out. */
  readonly accounts: readonly StarknetDevAccount[]
}

/** Asks the node at an http(s) URL for its chain. Rejects with an `RpcError` if it does not answer in ten seconds. */
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
  // Nodes may lack either method, and a proxy in front may say so in its own way.
  const ifThere = async (method: string, params: object): Promise<unknown> => {
    try {
      return await client.requestUnchecked<unknown>(method, params, given)
    } catch (thrown) {
      if (thrown instanceof RpcError && notThere.has(thrown.code)) return undefined
      throw thrown
    }
  }
  const accounts = await ifThere('devnet_getPredeployedAccounts', { with_balance: true })
  const specVersion = await ifThere('starknet_specVersion', [])
  return {
    chainId: readable(chainId),
    specVersion: typeof specVersion === 'string' && /^[\w.+-]{1,32}$/.test(specVersion) ? specVersion : undefined,
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

/** Whether an account has the expected form. The node may be anybody's, and its answer is shown in a terminal. */
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
 * Reads a felt as short text, one byte a character; a felt stays a felt if the text is not fit for a terminal. Not
 * `decodeShortString` of `starknet-types`, which lets control characters pass and would bring the tables of methods.
 */
function readable(felt: string): string {
  const digits = felt.slice(2).replace(/^0+/, '')
  const short = Buffer.from(digits, 'hex').toString('latin1')
  return digits.length % 2 === 0 && /^[\x21-\x7e]+$/.test(short) ? short : felt
}
