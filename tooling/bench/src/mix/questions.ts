import { balanceResult, callResult, logsOf, oldHeight, receiptOf } from './results.ts'

/** A request of the mix: its calls, and how each of their results is known to be right. */
export interface MixedRequest {
  readonly body: string
  readonly calls: number
  /** Whether a body is the answer. */
  readonly isAnswer: (body: Buffer) => boolean
}

interface Question {
  readonly method: string
  readonly params: string
  /** The result; undefined: it depends on the head, and only its form is known. */
  readonly result: string | undefined
}

/** Parts of a thousand requests, by what they ask: a wallet's and an indexer's day, as a rule of thumb. */
const shares = { heads: 200, reads: 430, receipts: 100, unique: 220, batches: 48, logs: 2 } as const
const hotContracts = 30
const hotReceipts = 200
const callsOfBatch = 20

/** Makes the requests of the mix, the same ones in the same order for each subject that begins with the same `seed`. */
export function createMix(seed: number): () => MixedRequest {
  let state = seed
  let unique = seed * 1_000_000
  /** A number below `limit`, by the multiplier of Numerical Recipes. */
  const draw = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
  const latest = '"latest"'

  const head = (): Question =>
    draw(4) > 0
      ? { method: 'eth_blockNumber', params: '[]', result: undefined }
      : { method: 'eth_getBlockByNumber', params: `[${latest},false]`, result: undefined }
  const read = (): Question => {
    const data = `0x70a08231${word(draw(hotContracts)).slice(2)}`
    return {
      method: 'eth_call',
      params: `[{"to":"0x${'d4'.repeat(20)}","data":"${data}"},${latest}]`,
      result: callResult,
    }
  }
  const receipt = (): Question => {
    const hash = word(draw(hotReceipts))
    return { method: 'eth_getTransactionReceipt', params: `["${hash}"]`, result: receiptOf(hash) }
  }
  const balance = (): Question => {
    const address = `0x${(++unique).toString(16).padStart(40, '0')}`
    return { method: 'eth_getBalance', params: `["${address}",${latest}]`, result: balanceResult }
  }
  const logs = (): Question => {
    const number = `0x${(oldHeight + draw(1_000_000)).toString(16)}`
    return {
      method: 'eth_getLogs',
      params: `[{"fromBlock":"${number}","toBlock":"${number}"}]`,
      result: logsOf(number),
    }
  }
  const ofBatch = (): Question => [head, read, receipt, balance][draw(4)]!()

  return () => {
    let part = draw(1_000)
    for (const [name, share] of Object.entries(shares)) {
      part -= share
      if (part >= 0) continue
      if (name === 'batches') return requestOf(Array.from({ length: callsOfBatch }, ofBatch))
      const make = { heads: head, reads: read, receipts: receipt, unique: balance, logs }[name as 'heads']
      return requestOf([make()])
    }
    return requestOf([read()])
  }
}

function requestOf(questions: readonly Question[]): MixedRequest {
  const isBatch = questions.length > 1
  const printed = questions.map(
    ({ method, params }, i) => `{"jsonrpc":"2.0","id":${i},"method":"${method}","params":${params}}`,
  )
  const answers = questions.map(({ result }, i) => ({ head: `{"jsonrpc":"2.0","id":${i},"result":`, result }))
  const isFixed = answers.every(({ result }) => result !== undefined)
  const whole = answers.map(({ head, result }) => `${head}${result}}`).join(',')
  return {
    body: isBatch ? `[${printed.join(',')}]` : printed[0]!,
    calls: questions.length,
    isAnswer(body) {
      if (isFixed) return body.equals(Buffer.from(isBatch ? `[${whole}]` : whole))
      const given = JSON.parse(body.toString('latin1')) as { readonly id: number; readonly result?: unknown }[]
      const all = isBatch ? given : [given as unknown as { readonly id: number; readonly result?: unknown }]
      return (
        all.length === answers.length &&
        all.every(({ id, result }, i) => {
          const expected = answers[i]!.result
          return id === i && (expected === undefined ? Boolean(result) : JSON.stringify(result) === expected)
        })
      )
    },
  }
}
