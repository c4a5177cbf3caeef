import { object, type ObjectShape, optional, record, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from './data.ts'
import { keyed } from './keyed.ts'
import { indexSchema, type Quantity, quantitySchema } from './quantity.ts'

/** Replacements for parts of an account; absent members keep their values. Source: execution-apis, go-ethereum. */
export interface AccountOverride {
  readonly nonce?: Quantity
  readonly code?: Hex
  /** Wei. */
  readonly balance?: Quantity
  /** The whole storage: positions not named are zero. Excludes {@link AccountOverride.stateDiff}. */
  readonly state?: Readonly<Record<Hash, Hash>>
  /** Single positions of the storage. Excludes {@link AccountOverride.state}. */
  readonly stateDiff?: Readonly<Record<Hash, Hash>>
  /** Another address for the precompiled contract at this one. */
  readonly movePrecompileToAddress?: Address
}

/** Account overrides during an execution, by address. Source: execution-apis, go-ethereum. */
export type StateOverrides = Readonly<Record<Address, AccountOverride>>

/** Overrides of the block during an execution. Source: execution-apis, go-ethereum. */
export interface BlockOverrides {
  readonly number?: Quantity
  /** Without effect since the Merge. */
  readonly difficulty?: Quantity
  /** Unix time, seconds. */
  readonly time?: Quantity
  readonly gasLimit?: Quantity
  readonly feeRecipient?: Address
  readonly prevRandao?: Hash
  /** Wei per gas. */
  readonly baseFeePerGas?: Quantity
  /** Wei per blob gas. */
  readonly blobBaseFee?: Quantity
}

const storageSchema: Schema<Readonly<Record<Hash, Hash>>> = keyed(hashSchema, record(hashSchema))

const accountOverrideShape: Schema<AccountOverride> = object<AccountOverride>(
  'an account override',
  {
    nonce: optional(indexSchema),
    code: optional(dataSchema),
    balance: optional(quantitySchema),
    state: optional(storageSchema),
    stateDiff: optional(storageSchema),
    movePrecompileToAddress: optional(addressSchema),
  },
  { closed: true },
)

const accountOverrideSchema: Schema<AccountOverride> = {
  expected: accountOverrideShape.expected,
  check(value, path) {
    const issue = accountOverrideShape.check(value, path)
    if (issue !== undefined) return issue
    const { state, stateDiff } = value as AccountOverride
    return state === undefined || stateDiff === undefined
      ? undefined
      : { path, expected: 'either state or stateDiff: choose one', received: 'both' }
  },
  json: (of) => ({ ...of(accountOverrideShape), not: { required: ['state', 'stateDiff'] } }),
}

/** Checks {@link StateOverrides}; refuses unknown members, and `state` beside `stateDiff`. */
export const stateOverridesSchema: Schema<StateOverrides> = keyed(addressSchema, record(accountOverrideSchema))

/** Members of {@link blockOverridesSchema}. */
export const blockOverridesShape: ObjectShape<BlockOverrides> = {
  number: optional(quantitySchema),
  difficulty: optional(quantitySchema),
  time: optional(indexSchema),
  gasLimit: optional(indexSchema),
  feeRecipient: optional(addressSchema),
  prevRandao: optional(hashSchema),
  baseFeePerGas: optional(quantitySchema),
  blobBaseFee: optional(quantitySchema),
}

/** Checks {@link BlockOverrides}; a member beyond them is refused. */
export const blockOverridesSchema: Schema<BlockOverrides> = object<BlockOverrides>(
  'block overrides',
  blockOverridesShape,
  { closed: true },
)
