import type { Address, Hex } from '@wayleave/evm-types'
import { bytes, hex, keccak, minimal, quantity, rlp, word } from './bytes.ts'
import { contract, gasOf, type LabTransaction, price } from './transactions.ts'
import { emptyTrie, prove, put, rootOf, type Trie } from './trie.ts'

/** The accounts after a block. It never changes. */
export interface State {
  /** Names it among all of the process. */
  readonly id: number
  /** Transactions of each account that has sent any. */
  readonly nonces: ReadonlyMap<Address, number>
  readonly spent: ReadonlyMap<Address, bigint>
  /** The number that the contract keeps. */
  readonly stored: number
  readonly accounts: Trie
  readonly storage: Trie
  readonly root: Hex
}

export const code: Hex = '0x5f5ff3'
const codeHash = keccak(bytes(code))
const emptyCode = keccak(new Uint8Array(0))
const emptyRoot = bytes(rootOf(emptyTrie))
/** Wei of an account before it has sent anything. */
const funds = 10n ** 18n

let states = 0

/** The state of the first block. */
export const firstState: State = withContract(
  { id: states++, nonces: new Map(), spent: new Map(), stored: 0, accounts: emptyTrie, storage: emptyTrie, root: '0x' },
  1,
)

const known = new Map<string, State>()
/** States that are kept for other runs. */
const mostKnown = 20_000

/** The state after transactions. Runs that do the same share it. */
export function stateAfter(state: State, transactions: readonly LabTransaction[]): State {
  if (transactions.length === 0) return state
  const key = `${state.id} ${transactions.map(({ id }) => id).join(' ')}`
  let next = known.get(key)
  if (next === undefined) {
    if (known.size >= mostKnown) known.clear()
    known.set(key, (next = transactions.reduce(apply, state)))
  }
  return next
}

function apply(state: State, { from, nonce, stores }: LabTransaction): State {
  const nonces = new Map(state.nonces).set(from, nonce + 1)
  const gas = stores === undefined ? gasOf.pay : gasOf.store
  const spent = new Map(state.spent).set(from, (state.spent.get(from) ?? 0n) + BigInt(gas) * BigInt(price))
  const account = rlp([minimal(nonce + 1), minimal(funds - spent.get(from)!), emptyRoot, emptyCode])
  const next = { ...state, id: states++, nonces, spent, accounts: put(state.accounts, from, account) }
  return stores === undefined ? rooted(next) : withContract(next, stores)
}

function withContract(state: State, stored: number): State {
  const storage = put(state.storage, word(0), rlp(minimal(stored)))
  const account = rlp([minimal(1), minimal(0), bytes(rootOf(storage)), codeHash])
  return rooted({ ...state, stored, storage, accounts: put(state.accounts, contract, account) })
}

function rooted(state: State): State {
  return { ...state, root: rootOf(state.accounts) }
}

/** The balance of an account, in wei. Accounts that have sent nothing are not there. */
export function balanceOf(state: State, address: Address): bigint {
  const spent = state.spent.get(address)
  return spent === undefined ? 0n : funds - spent
}

export function nonceOf(state: State, address: Address): number {
  return address === contract ? 1 : (state.nonces.get(address) ?? 0)
}

export function storageAt(state: State, address: Address, position: bigint): number {
  return address === contract && position === 0n ? state.stored : 0
}

/** Answers `eth_getProof`. */
export function proofOf(state: State, address: Address, positions: readonly string[]): unknown {
  const isContract = address === contract
  const isThere = isContract || state.nonces.has(address)
  return {
    address,
    accountProof: prove(state.accounts, address),
    balance: quantity(balanceOf(state, address)),
    codeHash: isThere ? hex(isContract ? codeHash : emptyCode) : hex(emptyCode),
    nonce: quantity(nonceOf(state, address)),
    storageHash: isContract ? rootOf(state.storage) : hex(emptyRoot),
    storageProof: positions.map((position) => ({
      key: position,
      value: quantity(storageAt(state, address, BigInt(position))),
      proof: isContract ? prove(state.storage, word(BigInt(position))) : [],
    })),
  }
}
