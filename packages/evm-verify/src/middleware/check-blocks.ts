import {
  type Block,
  dataSchema,
  type Hash,
  type Hex,
  printQuantity,
  quantitySchema,
  type Uncle,
} from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from '../assert-member.ts'
import { blockAccessListHash } from '../block-access-list-hash.ts'
import { bytesFromHex, hexFromBytes } from '../bytes.ts'
import { headerHash } from '../header-hash.ts'
import type { Header } from '../header-members.ts'
import { keccak } from '../keccak.ts'
import { isRecord, isSameHex, refuseOther } from '../refusal.ts'
import { unclesHash } from '../uncles-hash.ts'
import type { Verdict } from '../verdict.ts'
import { verifyHeader } from '../verify-header.ts'
import { verifyUncle } from '../verify-uncle.ts'
import { askedBlock, askedHash, askedIndex } from './asked.ts'
import { beside, type Call, type Check, type Checks } from './call.ts'
import { type Finding, malformed, nothingThere, proven, unknown, withLevel, wrong } from './finding.ts'

const checkBlockByHash: Check = (call) => checkBlock(call, call.params[0] as Hash)

const checkBlockByNumber: Check = (call) => checkBlock(call, undefined)

const checkHeader: Check = async (call) => {
  const { ask, params, evidence } = call
  const { hash, number } = askedBlock(params[0])
  const known = evidence && hash === undefined ? await evidence.block(params[0]) : undefined
  const answer = await (known === undefined ? ask() : ask('eth_getHeaderByHash', [known.hash]))
  if (answer == null) return nothingThere
  const expected = known?.hash ?? hash
  const verdict = verifyHeader(answer, { ...(expected && { hash: expected }), ...(number && { number }) })
  return anchored(verdict, known?.anchor ?? (hash && 'question'))
}

const checkUncle: Check = async ({ ask, params, evidence }) => {
  if (evidence === undefined) {
    const answer = await ask()
    return answer == null ? nothingThere : anchored(verifyUncle(answer), undefined)
  }
  const asked = askedIndex(params[1])
  const { hash, header, anchor } = await evidence.block(params[0])
  const index = Number(asked)
  const answer = await ask('eth_getUncleByBlockHashAndIndex', [hash, asked])
  if (answer === undefined) return nothingThere
  if (answer !== null && !isRecord(answer)) return anchored(verifyUncle(answer), anchor)
  if (answer === null && index === 0 && !isSameHex(header.sha3Uncles, unclesHash([]))) {
    return wrong('', `null, and block ${hash} has an uncle`, anchor)
  }
  // A block has at most two; the root tells which.
  const uncles: Header[] = []
  for (let i = 0; !isSameHex(header.sha3Uncles, unclesHash(uncles)); i++) {
    if (i === 2) return wrong('', `the uncles' hash is ${unclesHash(uncles)}, not ${header.sha3Uncles}`, anchor)
    const isAsked = i === index && answer !== null
    const one = isAsked ? answer : await evidence.fetch('eth_getUncleByBlockHashAndIndex', [hash, printQuantity(i)])
    const verdict = verifyUncle(one)
    if (verdict.ok !== true) return { verdict, anchor }
    uncles.push(one as Uncle as Header)
  }
  const uncle = uncles[index]
  if (uncle === undefined && answer === null) return proven(anchor)
  if (uncle !== undefined && answer !== null) return anchored(verifyUncle(answer, { hash: headerHash(uncle) }), anchor)
  return wrong('', `block ${hash} has ${uncles.length} uncles, and ${describeValue(answer)} came for ${index}`, anchor)
}

const checkTransactionCountOfBlock: Check = async ({ ask, params, evidence }) => {
  if (evidence === undefined) {
    const answer = await ask()
    if (answer == null) return nothingThere
    return malformed(quantitySchema, answer) ?? unknown('a count takes a proof', { '': 'unverifiable' })
  }
  const { hash, anchor } = await evidence.block(params[0])
  const [answer, block] = await beside(ask('eth_getBlockTransactionCountByHash', [hash]), evidence.contents(hash))
  if (block === undefined) return nothingThere
  const other = refuseOther('', answer, printQuantity(block.transactions.length))
  return other === undefined ? proven(anchor) : { verdict: other, anchor }
}

/** Checks an access list of a block by its hash in the header. */
const checkAccessList =
  (hashOf: (answer: unknown) => Hash): Check =>
  async ({ ask, method, params, evidence }) => {
    if (evidence === undefined) {
      const answer = await ask()
      return answer == null
        ? nothingThere
        : unknown('an access list takes the header of its block', { '': 'unverifiable' })
    }
    const { hash, header, anchor } = await evidence.block(params[0])
    const answer = await ask(method, [hash])
    if (answer == null) return nothingThere
    const { blockAccessListHash: claimed } = header
    if (claimed == null) return wrong('', `a list, and block ${hash} has no blockAccessListHash`, anchor)
    const other = refuseOther('', hashOf(answer), claimed)
    return other === undefined ? proven(anchor) : { verdict: other, anchor }
  }

function rawHash(answer: unknown): Hash {
  assertMember<Hex>(dataSchema, answer, '')
  return hexFromBytes(keccak(bytesFromHex(answer)))
}

/** Checks of the methods that answer blocks, headers and uncles. Source: Spec §4, execution-apis. */
export const blockChecks: Checks = {
  eth_getBlockByHash: checkBlockByHash,
  eth_getBlockByNumber: checkBlockByNumber,
  eth_getHeaderByHash: checkHeader,
  eth_getHeaderByNumber: checkHeader,
  eth_getUncleByBlockHashAndIndex: checkUncle,
  eth_getUncleByBlockNumberAndIndex: checkUncle,
  eth_getBlockAccessList: checkAccessList(blockAccessListHash),
  debug_getRawBlockAccessList: checkAccessList(rawHash),
  eth_getBlockTransactionCountByHash: checkTransactionCountOfBlock,
  eth_getBlockTransactionCountByNumber: checkTransactionCountOfBlock,
}

async function checkBlock({ ask, params, evidence, judge }: Call, hash: Hash | undefined): Promise<Finding> {
  const fullTransactions = params[1] === true
  if (evidence === undefined) {
    const answer = await ask()
    if (answer == null) return nothingThere
    const { number, tag } = hash === undefined ? askedBlock(params[0]) : {}
    // A node may fill in anything until the block exists.
    if (tag === 'pending') return unknown('a pending block can change')
    if (isRecord(answer) && answer['hash'] == null) return wrong('hash', 'hash: only a pending block has none')
    const expected = { ...(hash && { hash: askedHash(hash) }), ...(number && { number }), fullTransactions }
    return anchored(await judge({ check: 'block', answer, expected }), hash && 'question')
  }
  const known = hash === undefined ? await evidence.block(params[0]) : undefined
  const answer = await (known === undefined ? ask() : ask('eth_getBlockByHash', [known.hash, fullTransactions]))
  if (answer == null) return nothingThere
  const expected = known?.hash ?? askedHash(hash)
  const verdict = await judge({ check: 'block', answer, expected: { hash: expected, fullTransactions } })
  const finding = anchored(verdict, known?.anchor ?? 'question')
  const isListed = finding.verdict.ok === true && finding.verdict.fields['transactions'] === 'unverifiable'
  return isListed ? listed(finding, answer as Block, await evidence.contents(expected)) : finding
}

/** Checks a block with transaction hashes: no root covers them, so they are compared with the transactions. */
function listed(finding: Finding, answer: Block, { transactions }: Block): Finding {
  const hashes = transactions.map((tx) => (typeof tx === 'string' ? tx : tx.hash))
  if (answer.transactions.length !== hashes.length) {
    return wrong(
      'transactions',
      `the block has ${hashes.length} transactions, not ${answer.transactions.length}`,
      finding.anchor,
    )
  }
  for (const [i, hash] of hashes.entries()) {
    const other = refuseOther(`transactions.${i}`, answer.transactions[i], hash)
    if (other !== undefined) return { verdict: other, anchor: finding.anchor }
  }
  return withLevel(finding, ['transactions'], 'proven')
}

function anchored(verdict: Verdict, anchor: Finding['anchor'] | undefined): Finding {
  return { verdict, anchor: anchor ?? 'none' }
}
