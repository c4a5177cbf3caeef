import { dataSchema, type Hash, hashSchema, type Hex } from '@wayleave/evm-types'
import { array } from '@wayleave/jsonrpc-core/schema'
import { bytesFromHex, hexFromBytes, joinBytes } from '../bytes.ts'
import { VerifyError } from '../error.ts'
import { keccak } from '../keccak.ts'
import { type Refusal, refuse, refuseOther } from '../refusal.ts'
import { encodeRlp, type RlpItem } from '../rlp.ts'
import { decodeRlp } from '../rlp-decode.ts'
import { orderedRoot } from '../trie/ordered-root.ts'
import { askedBlock } from './asked-block.ts'
import type { Call, Check } from './call.ts'
import { type Finding, malformed, nothingThere, proven, unknown } from './finding.ts'

export const checkRawTransaction: Check = async ({ ask, params }) => {
  const answer = await ask()
  if (answer == null) return nothingThere
  const form = malformed(dataSchema, answer)
  if (form !== undefined) return form
  if (hashSchema.check(params[0], '') !== undefined) return unknown('the params name no transaction')
  const bytes = bytesFromHex(answer as Hex)
  const { payload, hasBlobs } = withoutBlobs(bytes)
  const other = refuseOther('', hexFromBytes(keccak(payload)), params[0] as Hash)
  if (other !== undefined) return { verdict: other, anchor: 'question' }
  return hasBlobs ? unknown('the transaction is right, and nothing is told of the blobs beside it') : proven('question')
}

export const checkRawHeader: Check = (call) =>
  checkRaw(call, (answer, hash) => refuseOther('', hexFromBytes(keccak(bytesFromHex(answer))), hash))

export const checkRawBlock: Check = (call) => checkRaw(call, refuseRawBlock)

const rawListSchema = array(dataSchema)

export const checkRawReceipts: Check = async (call) => {
  const { ask, params, evidence } = call
  if (evidence === undefined) {
    const answer = await ask()
    if (answer == null) return nothingThere
    return malformed(rawListSchema, answer) ?? unknown('receipts take the header of their block')
  }
  const { hash, header, anchor } = await evidence.block(params[0])
  const answer = await ask(call.method, [hash])
  if (answer == null) return nothingThere
  const form = malformed(rawListSchema, answer)
  if (form !== undefined) return form
  const root = hexFromBytes(orderedRoot((answer as readonly Hex[]).map(bytesFromHex)))
  const other = refuseOther('', root, header.receiptsRoot)
  return other === undefined ? proven(anchor) : { verdict: other, anchor }
}

async function checkRaw(
  { ask, method, params, evidence }: Call,
  compare: (answer: Hex, hash: Hash) => Refusal | undefined,
): Promise<Finding> {
  const { hash } = askedBlock(params[0])
  const known = hash === undefined ? await evidence?.block(params[0]) : { hash, anchor: 'question' as const }
  const answer = await (hash === undefined && known !== undefined ? ask(method, [known.hash]) : ask())
  if (answer == null) return nothingThere
  const form = malformed(dataSchema, answer)
  if (form !== undefined) return form
  if (known === undefined) return unknown('what a number names takes an anchor')
  const refusal = compare(answer as Hex, known.hash)
  return refusal === undefined ? proven(known.anchor) : { verdict: refusal, anchor: known.anchor }
}

/** A block as the network sends it: header, transactions, uncles and since Shanghai withdrawals. @throws VerifyError */
function refuseRawBlock(answer: Hex, hash: Hash): Refusal | undefined {
  const block = listOf(decodeRlp(bytesFromHex(answer)))
  const header = listOf(block[0])
  const hasWithdrawals = header.length > 16
  if (block.length !== (hasWithdrawals ? 4 : 3)) return refuse('', `a block of ${block.length} parts`)
  const other = refuseOther('', hexFromBytes(keccak(encodeRlp(header))), hash)
  if (other !== undefined) return other
  const [transactions, uncles, withdrawals] = block.slice(1).map(listOf)
  const payloads = transactions!.map((tx) => (tx instanceof Uint8Array ? tx : encodeRlp(tx)))
  const roots = [
    ['transactions', header[4], orderedRoot(payloads)],
    ['uncles', header[1], keccak(encodeRlp(uncles!))],
    ...(hasWithdrawals ? ([['withdrawals', header[16], orderedRoot(withdrawals!.map(encodeRlp))]] as const) : []),
  ] as const
  for (const [what, claimed, root] of roots) {
    if (!(claimed instanceof Uint8Array) || hexFromBytes(claimed) !== hexFromBytes(root)) {
      return refuse('', `the header has another root than the ${what}`)
    }
  }
  return undefined
}

function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item !== undefined && !(item instanceof Uint8Array)) return item
  throw new VerifyError('malformed', '', 'RLP: expected a list')
}

/** The pool of some nodes gives transactions with their blobs; the hash is of the rest. Source: EIP-4844. */
function withoutBlobs(bytes: Uint8Array): { readonly payload: Uint8Array; readonly hasBlobs: boolean } {
  const [first] = bytes[0] === 3 ? listOf(decodeRlp(bytes.subarray(1))) : []
  if (first === undefined || first instanceof Uint8Array) return { payload: bytes, hasBlobs: false }
  return { payload: joinBytes([Uint8Array.of(3), encodeRlp(first)]), hasBlobs: true }
}
