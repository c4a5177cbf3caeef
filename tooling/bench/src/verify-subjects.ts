import { createBlockFromRPC } from '@ethereumjs/block'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, concatBytes, hexToBytes, type NestedUint8Array, type PrefixedHexString } from '@ethereumjs/util'
import type { Hex, Receipt, Transaction } from '@wayleave/evm-types'
import { verifyBlock, verifyReceipts } from '@wayleave/evm-verify'
import { encodeRlp, getBytes, Signature, Transaction as EthersTransaction } from 'ethers'
import { formatTransaction, keccak256, recoverTransactionAddress, serializeTransaction, toRlp } from 'viem'
import { BenchError } from './error.ts'
import { type FullBlock, mainnet } from './verify-block.ts'

/** A library that verifies a whole block: hashes, senders, both roots. It throws if anything is wrong. */
export interface VerifySubject {
  readonly name: string
  /** Tells what it does by itself, and what it was given. */
  readonly what: string
  verify(full: FullBlock): Promise<void>
}

/** Ours and the libraries that it is compared with, through their documented functions. */
export const verifySubjects: readonly VerifySubject[] = [
  {
    name: '@wayleave/evm-verify',
    what: 'verifyBlock, verifyReceipts; they check the header hash, blooms, gas and places, too',
    async verify({ block, receipts }) {
      const verdicts = [
        verifyBlock(block, { hash: block.hash! }),
        verifyReceipts(receipts, { receiptsRoot: block.receiptsRoot }),
      ]
      for (const verdict of verdicts) check(verdict.ok === true, '@wayleave/evm-verify', JSON.stringify(verdict))
    },
  },
  {
    name: 'viem',
    what: 'serializeTransaction, keccak256, recoverTransactionAddress, toRlp; it has no trie: @ethereumjs/mpt',
    async verify({ block, receipts }) {
      const payloads: Uint8Array[] = []
      for (const tx of block.transactions) {
        const {
          typeHex: _,
          from,
          hash,
          r,
          s,
          v,
          yParity,
          ...request
        } = formatTransaction(tx as never) as never as ViemTransaction
        const { gasPrice, ...fees } = request
        const signed = tx.type === '0x0' || tx.type === '0x1' ? { ...fees, gasPrice } : fees
        const serialized = serializeTransaction(
          { ...signed, data: tx.input } as never,
          { r: r!, s: s!, v: v!, yParity: yParity! } as never,
        )
        check(keccak256(serialized) === hash, 'viem', `hash of ${hash}`)
        const sender = await recoverTransactionAddress({ serializedTransaction: serialized as never })
        check(sender.toLowerCase() === from, 'viem', `sender of ${hash}`)
        payloads.push(hexToBytes(serialized))
      }
      check((await trieRoot(payloads)) === block.transactionsRoot, 'viem', 'transactionsRoot')
      const encoded = receipts.map((receipt) => envelope(receipt, hexToBytes(toRlp(receiptItems(receipt) as never))))
      check((await trieRoot(encoded)) === block.receiptsRoot, 'viem', 'receiptsRoot')
    },
  },
  {
    name: 'ethers',
    what: 'Transaction.from: hash, from, serialized; encodeRlp; it has no trie: @ethereumjs/mpt',
    async verify({ block, receipts }) {
      const payloads: Uint8Array[] = []
      for (const answer of block.transactions) {
        const tx = EthersTransaction.from(ethersFields(answer))
        check(tx.hash === answer.hash, 'ethers', `hash of ${answer.hash}`)
        check(tx.from?.toLowerCase() === answer.from, 'ethers', `sender of ${answer.hash}`)
        payloads.push(getBytes(tx.serialized))
      }
      check((await trieRoot(payloads)) === block.transactionsRoot, 'ethers', 'transactionsRoot')
      const encoded = receipts.map((receipt) => envelope(receipt, getBytes(encodeRlp(receiptItems(receipt) as never))))
      check((await trieRoot(encoded)) === block.receiptsRoot, 'ethers', 'receiptsRoot')
    },
  },
  {
    name: '@ethereumjs/block',
    what: 'createBlockFromRPC, transactionsTrieIsValid, hash, getSenderAddress; receipts by @ethereumjs/rlp and mpt',
    async verify({ block, receipts }) {
      const parsed = createBlockFromRPC(block as never, [], { common: mainnet, skipConsensusFormatValidation: true })
      for (const [i, tx] of parsed.transactions.entries()) {
        const { hash, from } = block.transactions[i]!
        check(bytesToHex(tx.hash()) === hash, '@ethereumjs', `hash of ${hash}`)
        check(tx.getSenderAddress().toString() === from, '@ethereumjs', `sender of ${hash}`)
      }
      check(await parsed.transactionsTrieIsValid(), '@ethereumjs', 'transactionsRoot')
      const encoded = receipts.map((receipt) => envelope(receipt, RLP.encode(bytesOf(receiptItems(receipt)))))
      check((await trieRoot(encoded)) === block.receiptsRoot, '@ethereumjs', 'receiptsRoot')
    },
  },
]

type ViemTransaction = Record<string, unknown> & {
  readonly from: Hex
  readonly hash: Hex
  readonly r: Hex
  readonly s: Hex
  readonly v: bigint
  readonly yParity: number
}
type Items = string | readonly Items[]

/** Lists the fields that the hash of a receipt covers, as hex. */
function receiptItems({ status, cumulativeGasUsed, logsBloom, logs }: Receipt): Items {
  return [
    evenHex(status!),
    evenHex(cumulativeGasUsed!),
    logsBloom!,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ]
}

function envelope({ type }: Receipt, list: Uint8Array): Uint8Array {
  return type === '0x0' ? list : concatBytes(Uint8Array.of(Number(type)), list)
}

function ethersFields(tx: Transaction): object {
  const { input, gas, gasPrice, from: _, hash: __, type, r, s, v, yParity, authorizationList, ...rest } = tx
  const isPriced = type === '0x0' || type === '0x1'
  return {
    to: rest.to,
    value: rest.value,
    chainId: rest.chainId,
    accessList: rest.accessList,
    maxFeePerGas: rest.maxFeePerGas,
    maxPriorityFeePerGas: rest.maxPriorityFeePerGas,
    maxFeePerBlobGas: rest.maxFeePerBlobGas,
    blobVersionedHashes: rest.blobVersionedHashes,
    type: Number(type),
    nonce: Number(rest.nonce),
    gasLimit: gas,
    data: input,
    ...(isPriced ? { gasPrice } : {}),
    signature: Signature.from(
      yParity == null ? { r: r!, s: s!, v: v! } : { r: r!, s: s!, yParity: yParity === '0x0' ? 0 : 1 },
    ),
    ...(authorizationList == null ? {} : { authorizationList: authorizationList.map(ethersAuthorization) }),
  }
}

function ethersAuthorization(entry: NonNullable<Transaction['authorizationList']>[number]): object {
  const { chainId, address, nonce, yParity, r, s } = entry
  return { address, nonce, chainId, signature: { r, s, yParity: yParity === '0x0' ? 0 : 1 } }
}

async function trieRoot(values: readonly Uint8Array[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie()
  for (const [i, value] of values.entries()) await trie.put(RLP.encode(i), value)
  return bytesToHex(trie.root())
}

function bytesOf(items: Items): NestedUint8Array | Uint8Array {
  return typeof items === 'string' ? hexToBytes(items as PrefixedHexString) : (items.map(bytesOf) as NestedUint8Array)
}

function evenHex(quantity: Hex): string {
  const digits = quantity.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

function check(isRight: boolean, subject: string, what: string): asserts isRight {
  if (!isRight) throw new BenchError('subject', `${subject} found something wrong with a right block: ${what}`)
}
