import type { Question } from '../plan.ts'
import { type Chain } from './chain.ts'
import { ancestorAt, type Block, storedTopic } from './evm/block.ts'
import { quantity } from './evm/bytes.ts'
import { accountOf, callerTransaction, contract, emitted, emitters, witness } from './evm/transactions.ts'

/**
 * Puts values of the chain as it is in the place of a question's symbols. `subscriptions`: ids by the number of the call that opened them.
 * @throws TypeError for a symbol that there is none of
 */
export function resolved(question: Question, chain: Chain, subscriptions: ReadonlyMap<number, string>): Question {
  const { head } = chain
  return { method: question.method, params: question.params.map(replace) }

  function replace(value: unknown): unknown {
    if (typeof value === 'string') return value.startsWith('$') ? valueOf(value) : value
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each)]))
  }

  function valueOf(symbol: string): unknown {
    const [name, about = ''] = symbol.slice(1).split(':')
    switch (name) {
      case 'number':
        return quantity(blockOf(about).number)
      case 'hash':
        return blockOf(about).hash
      case 'tx':
        return callerTransaction(Number(about)).hash
      case 'raw':
        return callerTransaction(Number(about)).raw
      case 'mined':
        return minedBefore(head, Number(about))
      case 'account':
        return accountOf(about.startsWith('c') ? about : `b${about}`)
      case 'contract':
        return contract
      case 'witness':
        return witness
      case 'emitter':
        return emitters[Number(about)]
      case 'event':
        return emitted[Number(about)]
      case 'topic':
        return storedTopic
      case 'subscription':
        return subscriptions.get(Number(about)) ?? '0x0'
      default:
        throw new TypeError(`a plan holds the symbol ${symbol}: expected one of those that Question names`)
    }
  }

  function blockOf(about: string): Block {
    const [, depth] = /^head(?:-(\d+))?$/.exec(about) ?? []
    const number = about.startsWith('head') ? head.number - Number(depth ?? 0) : Number(about)
    return ancestorAt(head, Math.max(0, number)) ?? head
  }
}

/** The hash of the transaction so many before the last one. */
function minedBefore(head: Block, count: number): string {
  let left = count
  for (let block: Block | undefined = head; block !== undefined; block = block.parent) {
    const { transactions } = block
    if (left < transactions.length) return transactions.at(-1 - left)!.hash
    left -= transactions.length
  }
  return callerTransaction(0).hash
}
