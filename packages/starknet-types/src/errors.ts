import type { RpcError, RpcErrorObject } from '@wayleave/jsonrpc-core'
import { type Felt, feltSchema } from './felt.ts'
import { isBefore, type StarknetVersion, starknetVersions } from './versions.ts'

/** A failed call of a contract, with the cause in `error`: the innermost one is a text. Source: Starknet RPC 0.8. */
export type ContractExecutionError =
  | string
  | {
      readonly contract_address: Felt
      readonly class_hash: Felt
      readonly selector: Felt
      readonly error: ContractExecutionError
    }

/** `name` and `message` as the specification of a version has them. */
export interface StarknetErrorEntry {
  readonly name: string
  readonly message: string
}

interface Entry {
  readonly name: string
  /** The message, from the version at each key on; undefined: the code is gone. Oldest first. */
  readonly messages: Partial<Record<StarknetVersion, string | undefined>>
}

const always = (name: string, message: string): Entry => ({ name, messages: { '0.5.1': message } })
const since = (version: StarknetVersion, name: string, message: string): Entry => ({
  name,
  messages: { [version]: message },
})

/** A code that a version of the specification gives a meaning. */
export type StarknetErrorCode =
  | (1 | 10 | 20 | 21 | 24 | 25 | 27 | 28 | 29)
  | (31 | 32 | 33 | 34 | 40 | 41 | 42)
  | (51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 59)
  | (60 | 61 | 62 | 63 | 64 | 65 | 66 | 67 | 68 | 69 | 100)

const entries: Readonly<Record<StarknetErrorCode, Entry>> = {
  1: always('FAILED_TO_RECEIVE_TXN', 'Failed to write transaction'),
  10: always('NO_TRACE_AVAILABLE', 'No trace available for transaction'),
  20: always('CONTRACT_NOT_FOUND', 'Contract not found'),
  21: {
    name: 'ENTRYPOINT_NOT_FOUND',
    messages: {
      '0.8': 'Requested entrypoint does not exist in the contract',
      '0.10': 'Requested entry point does not exist in the contract',
    },
  },
  24: always('BLOCK_NOT_FOUND', 'Block not found'),
  25: { name: 'INVALID_TXN_HASH', messages: { '0.5.1': 'Invalid transaction hash', '0.6': undefined } },
  27: always('INVALID_TXN_INDEX', 'Invalid transaction index in a block'),
  28: always('CLASS_HASH_NOT_FOUND', 'Class hash not found'),
  29: always('TXN_HASH_NOT_FOUND', 'Transaction hash not found'),
  31: always('PAGE_SIZE_TOO_BIG', 'Requested page size is too big'),
  32: always('NO_BLOCKS', 'There are no blocks'),
  33: always('INVALID_CONTINUATION_TOKEN', 'The supplied continuation token is invalid or unknown'),
  34: always('TOO_MANY_KEYS_IN_FILTER', 'Too many keys provided in a filter'),
  40: always('CONTRACT_ERROR', 'Contract error'),
  41: since('0.6', 'TRANSACTION_EXECUTION_ERROR', 'Transaction execution error'),
  42: since(
    '0.8',
    'STORAGE_PROOF_NOT_SUPPORTED',
    "the node doesn't support storage proofs for blocks that are too far in the past",
  ),
  51: always('CLASS_ALREADY_DECLARED', 'Class already declared'),
  52: always('INVALID_TRANSACTION_NONCE', 'Invalid transaction nonce'),
  53: {
    // INSUFFICIENT_MAX_FEE up to 0.7.
    name: 'INSUFFICIENT_RESOURCES_FOR_VALIDATE',
    messages: {
      '0.5.1': 'Max fee is smaller than the minimal transaction cost (validation plus fee transfer)',
      '0.8': "The transaction's resources don't cover validation or the minimal transaction fee",
    },
  },
  54: {
    name: 'INSUFFICIENT_ACCOUNT_BALANCE',
    messages: {
      '0.5.1': "Account balance is smaller than the transaction's max_fee",
      '0.8':
        "Account balance is smaller than the transaction's maximal fee (calculated as the sum of each resource's limit x max price)",
    },
  },
  55: always('VALIDATION_FAILURE', 'Account validation failed'),
  56: always('COMPILATION_FAILED', 'Compilation failed'),
  57: {
    name: 'CONTRACT_CLASS_SIZE_IS_TOO_LARGE',
    messages: { '0.5.1': 'Contract class size it too large', '0.9': 'Contract class size is too large' },
  },
  58: {
    name: 'NON_ACCOUNT',
    messages: {
      '0.5.1': 'Sender address in not an account contract',
      '0.9': 'Sender address is not an account contract',
    },
  },
  59: always('DUPLICATE_TX', 'A transaction with the same hash already exists in the mempool'),
  60: always(
    'COMPILED_CLASS_HASH_MISMATCH',
    'the compiled class hash did not match the one supplied in the transaction',
  ),
  61: always('UNSUPPORTED_TX_VERSION', 'the transaction version is not supported'),
  62: always('UNSUPPORTED_CONTRACT_CLASS_VERSION', 'the contract class version is not supported'),
  63: always('UNEXPECTED_ERROR', 'An unexpected error occurred'),
  64: since('0.9', 'REPLACEMENT_TRANSACTION_UNDERPRICED', 'Replacement transaction is underpriced'),
  65: since('0.9', 'FEE_BELOW_MINIMUM', 'Transaction fee below minimum'),
  66: since('0.8', 'INVALID_SUBSCRIPTION_ID', 'Invalid subscription id'),
  67: since('0.8', 'TOO_MANY_ADDRESSES_IN_FILTER', 'Too many addresses in filter sender_address filter'),
  68: since('0.8', 'TOO_MANY_BLOCKS_BACK', 'Cannot go back more than 1024 blocks'),
  69: since('0.10', 'INVALID_PROOF', 'The proof field in the invoke v3 transaction is invalid'),
  100: since('0.8', 'COMPILATION_ERROR', 'Failed to compile the contract'),
}

interface RevertError<E> {
  readonly revert_error: E
}

interface TransactionError<E> {
  readonly transaction_index: number
  readonly execution_error: E
}

interface PlainData {
  readonly 10: { readonly status?: 'RECEIVED' | 'REJECTED' } | undefined
  readonly 40: RevertError<string>
  readonly 63: string
}

interface Data_0_6 extends PlainData {
  readonly 41: TransactionError<string>
  readonly 55: string
}

interface Data_0_8 extends Omit<Data_0_6, 40 | 41> {
  readonly 40: RevertError<ContractExecutionError>
  readonly 41: TransactionError<ContractExecutionError>
  readonly 56: string
  readonly 100: { readonly compilation_error: string }
}

interface Data_0_9 extends Data_0_8 {
  readonly 52: string
}

interface DataOf {
  readonly '0.5.1': PlainData
  readonly '0.6': Data_0_6
  readonly '0.7': Data_0_6
  readonly '0.8': Data_0_8
  readonly '0.9': Data_0_9
  readonly '0.10': Data_0_9
}

type DataIn<V extends StarknetVersion, C> = V extends StarknetVersion
  ? C extends keyof DataOf[V]
    ? DataOf[V][C]
    : unknown
  : never

/** A JSON-RPC error of a known code, with the `data` that goes with it; unknown where the specification has none. */
export interface StarknetError<
  C extends StarknetErrorCode = StarknetErrorCode,
  V extends StarknetVersion = StarknetVersion,
> extends RpcErrorObject {
  readonly code: C
  readonly data: DataIn<V, C>
}

/** The errors of a version by their codes. Source: Starknet RPC, `components.errors` of its documents. */
export function starknetErrorsOf(
  version: StarknetVersion,
): Readonly<Partial<Record<StarknetErrorCode, StarknetErrorEntry>>> {
  const until = starknetVersions.filter((each) => !isBefore(version, each))
  const found = Object.entries(entries).flatMap(([code, { name, messages }]) => {
    const last = until.findLast((each) => Object.hasOwn(messages, each))
    const message = last && messages[last]
    const old = code === '53' && !until.includes('0.8')
    return message === undefined ? [] : [[code, { name: old ? 'INSUFFICIENT_MAX_FEE' : name, message }] as const]
  })
  return Object.fromEntries(found) as Partial<Record<StarknetErrorCode, StarknetErrorEntry>>
}

/**
 * Whether an error has a code, and the `data` that the specification gives it in a version; without a version, in any. If
 * you need only the code, compare it: nodes leave `data` out now and then.
 */
export function isStarknetError<C extends StarknetErrorCode, V extends StarknetVersion = StarknetVersion>(
  error: RpcErrorObject | undefined,
  code: C,
  version?: V,
): error is StarknetError<C, V>
/** The same of what a client threw: `error.rpc` is the JSON-RPC error. */
export function isStarknetError<C extends StarknetErrorCode, V extends StarknetVersion = StarknetVersion>(
  error: RpcError,
  code: C,
  version?: V,
): error is RpcError & { readonly rpc: StarknetError<C, V> }
export function isStarknetError(
  error: RpcError | RpcErrorObject | undefined,
  code: StarknetErrorCode,
  version?: StarknetVersion,
): boolean {
  const object = error !== undefined && 'rpc' in error ? error.rpc : (error as RpcErrorObject | undefined)
  if (object?.code !== code) return false
  const versions = version === undefined ? starknetVersions : [version]
  return versions.some((each) => hasData(code, each, object.data))
}

/** Codes whose `data` is a text, with the first version where it is. */
const texts: Partial<Record<number, StarknetVersion>> = { 52: '0.9', 55: '0.6', 56: '0.8', 63: '0.5.1' }

function hasData(code: number, version: StarknetVersion, data: unknown): boolean {
  const members = Object(data) as Partial<Record<string, unknown>>
  const text = texts[code]
  const old = isBefore(version, '0.8')
  const isCause = (value: unknown): boolean => typeof value === 'string' || (!old && isNested(value))
  if (starknetErrorsOf(version)[code as StarknetErrorCode] === undefined) return false
  if (text !== undefined) return isBefore(version, text) || typeof data === 'string'
  if (code === 10) return data === undefined || (typeof data === 'object' && data !== null)
  if (code === 40) return isCause(members['revert_error'])
  if (code === 41) return typeof members['transaction_index'] === 'number' && isCause(members['execution_error'])
  return code !== 100 || typeof members['compilation_error'] === 'string'
}

/** Without recursion: a hostile answer may nest as deep as it likes. */
function isNested(value: unknown): boolean {
  let cause = value
  while (typeof cause === 'object' && cause !== null) {
    const { contract_address, class_hash, selector, error } = cause as Partial<Record<string, unknown>>
    if ([contract_address, class_hash, selector].some((felt) => feltSchema.check(felt, '') !== undefined)) return false
    cause = error
  }
  return typeof cause === 'string'
}
