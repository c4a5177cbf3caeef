import { dataSchema, type Hash, type Hex } from '@wayleave/evm-types'
import { array } from '@wayleave/jsonrpc-core/schema'
import { isFeeParameters } from '../block-withdrawals.ts'
import { bytesFromHex, hexFromBytes, joinBytes } from '../bytes.ts'
import { VerifyError } from '../error.ts'
import { keccak } from '../keccak.ts'
import { refuse, refuseOther } from '../refusal.ts'
import { encodeRlp, type RlpItem } from '../rlp.ts'
import { decodeRlp } from '../rlp-decode.ts'
import { orderedRoot } from '../trie/ordered-root.ts'
import type { Verdict } from '../verdict.ts'
import { askedBlock, askedHash } from './asked.ts'
import type { Call, Check, Checks } from './call.ts'
import { type Finding, malformed, nothingThere, proven, unknown } from './finding.ts'

const checkRawTransaction: Check = async ({ ask, params }) => {
  const answer = await ask()
  // Some nodes answer 0x if they do not have it.
  if (answer == null || answer === '0x') return nothingThere
  const form = malformed(dataSchema, answer)
  if (form !== undefined) return form
  const hash = askedHash(params[0])
  const bytes = bytesFromHex(answer as Hex)
  const { payload, hasBlobs } = withoutBlobs(bytes)
  const other = refuseOther('', hexFromBytes(keccak(payload)), hash)
  if (other !== undefined) return { verdict: other, anchor: 'question' }
  return hasBlobs ? unknown('the transaction is right, and nothing is told of the blobs beside it') : proven('question')
}

const checkRawHeader: Check = (call) =>
  checkRaw(call, (answer, hash) => refuseOther('', hexFromBytes(keccak(bytesFromHex(answer))), hash) ?? right)

const checkRawBlock: Check = (call) => checkRaw(call, judgeRawBlock)

const { verdict: right } = proven('none')

const rawListSchema = array(dataSchema)

const checkRawReceipts: Check = async (call) => {
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

/** Checks of the methods that answer raw encodings. Source: execution-apis. */
export const rawChecks: Checks = {
  eth_getRawTransactionByHash: checkRawTransaction,
  debug_getRawTransaction: checkRawTransaction,
  debug_getRawHeader: checkRawHeader,
  debug_getRawBlock: checkRawBlock,
  debug_getRawReceipts: checkRawReceipts,
}

async function checkRaw(
  { ask, method, params, evidence }: Call,
  judge: (answer: Hex, hash: Hash) => Verdict,
): Promise<Finding> {
  const { hash } = askedBlock(params[0])
  const known = hash === undefined ? await evidence?.block(params[0]) : { hash, anchor: 'question' as const }
  const answer = await (hash === undefined && known !== undefined ? ask(method, [known.hash]) : ask())
  if (answer == null) return nothingThere
  const form = malformed(dataSchema, answer)
  if (form !== undefined) return form
  if (known === undefined) return unknown('what a number names takes an anchor')
  return { verdict: judge(answer as Hex, known.hash), anchor: known.anchor }
}

/** Checks a block in its network form: header, transactions, uncles and, since Shanghai, withdrawals. @throws VerifyError */
function judgeRawBlock(answer: Hex, hash: Hash): Verdict {
  const block = listOf(decodeRlp(bytesFromHex(answer)))
  const header = listOf(block[0])
  const hasWithdrawals = header.length > 16
  if (block.length !== (hasWithdrawals ? 4 : 3)) return refuse('', `a block of ${block.length} parts`)
  const other = refuseOther('', hexFromBytes(keccak(encodeRlp(header))), hash)
  if (other !== undefined) return other
  const [transactions, uncles, withdrawals] = block.slice(1).map(listOf)
  if (!isRoot(header[4], orderedRoot(transactions!.map(payloadOf)))) return refuseRoot('transactions')
  if (!isRoot(header[1], keccak(encodeRlp(uncles!)))) return refuseRoot('uncles')
  if (!hasWithdrawals || isRoot(header[16], orderedRoot(withdrawals!.map(encodeRlp)))) return right
  const mayBeOther = withdrawals!.length === 0 && isFeeParameters(bytesOf(header[12]))
  return mayBeOther ? unknown('withdrawalsRoot may be that of a contract').verdict : refuseRoot('withdrawals')
}

/** The payload of a transaction: in its block a legacy one is a list, any other a string that begins with its type. */
function payloadOf(item: RlpItem): Uint8Array {
  if (!(item instanceof Uint8Array)) return encodeRlp(item)
  if (item.length > 0 && item[0]! < 0x80) return item
  throw new VerifyError('malformed', '', 'RLP: expected a transaction')
}

function isRoot(claimed: RlpItem | undefined, root: Uint8Array): boolean {
  return hexFromBytes(bytesOf(claimed)) === hexFromBytes(root)
}

function refuseRoot(what: string): Verdict {
  return refuse('', `the header has another root than the ${what}`)
}

function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw new VerifyError('malformed', '', 'RLP: expected a string')
}

function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item !== undefined && !(item instanceof Uint8Array)) return item
  throw new VerifyError('malformed', '', 'RLP: expected a list')
}

/** Removes the blobs that some nodes send with a pending transaction; the hash does not cover them. Source: EIP-4844. */
function withoutBlobs(bytes: Uint8Array): { readonly payload: Uint8Array; readonly hasBlobs: boolean } {
  const [first] = bytes[0] === 3 ? listOf(decodeRlp(bytes.subarray(1))) : []
  if (first === undefined || first instanceof Uint8Array) return { payload: bytes, hasBlobs: false }
  return { payload: joinBytes([Uint8Array.of(3), encodeRlp(first)]), hasBlobs: true }
}
