import {
  isStream,
  type RawJson,
  rawJsonFromValue,
  type RpcErrorObject,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Candidate } from '../selection/candidate.ts'
import { agreedValue } from './agreed-value.ts'
import { type ComparisonRules, hasOneReading, type Likeness, likenessOf } from './likeness.ts'

/** The answer of one upstream. */
export interface Ballot {
  readonly candidate: Candidate
  readonly response: RpcResponse
}

export interface ComparisonOptions {
  /** The rules of a method. */
  readonly rulesOf: (method: string) => ComparisonRules
  /** Names what an error says; errors of one class agree, whatever their words. */
  readonly errorClassOf: (request: RpcRequest, error: RpcErrorObject) => string
  /** Longest answers that are parsed to be compared, in bytes; longer ones agree only if their bytes do. Default 4 MiB. */
  readonly maxParsedBytes?: number | undefined
}

/** Compares two answers to one request. Never throws. */
export type Compare = (request: RpcRequest, a: RpcResponse, b: RpcResponse) => Likeness

const fourMiB = 4 * 1024 * 1024

export function createCompare({ rulesOf, errorClassOf, maxParsedBytes = fourMiB }: ComparisonOptions): Compare {
  return (request, a, b) => {
    if (a.error !== undefined || b.error !== undefined) {
      if (a.error === undefined || b.error === undefined) return 'different'
      return errorClassOf(request, a.error) === errorClassOf(request, b.error) ? 'same' : 'different'
    }
    if (isStream(a.result) || isStream(b.result)) return 'different'
    return compareResults(a.result, b.result, rulesOf(request.method), maxParsedBytes)
  }
}

function compareResults(a: RawJson, b: RawJson, rules: ComparisonRules, maxParsedBytes: number): Likeness {
  const isShort = a.byteLength <= maxParsedBytes && b.byteLength <= maxParsedBytes
  if (!isShort && a.byteLength !== b.byteLength) return 'different'
  try {
    const [textA, textB] = [a.text(), b.text()]
    if (textA === textB) return 'same'
    if (!isShort) return 'different'
    const [x, y] = [a.value(), b.value()]
    const likeness = likenessOf(x, y, rules)
    if (likeness === 'different') return likeness
    return hasOneReading(textA, x) && hasOneReading(textB, y) ? likeness : 'different'
  } catch {
    // One of them is no JSON.
    return 'different'
  }
}

/** Answers that agree, with the one to give. */
export interface Agreement {
  readonly ballots: readonly Ballot[]
  /** The answer that says what enough of them say, and no more: one of theirs where there is such a one. */
  readonly response: RpcResponse
}

/** The answers of one call, and which of them agree. */
export interface BallotBox {
  readonly ballots: readonly Ballot[]
  add(ballot: Ballot): void
  /** The largest group whose answers say the same, or are at least alike; undefined: there is no answer. */
  largest(likeness: 'same' | 'alike'): Agreement | undefined
  /** Whether an answer is at least alike the one that was given. */
  agrees(ballot: Ballot, given: RpcResponse): boolean
}

/** Creates an empty box. */
export function createBallotBox(
  request: RpcRequest,
  compare: Compare,
  rules: ComparisonRules,
  agreement: number,
): BallotBox {
  const ballots: Ballot[] = []
  /** The likeness of each answer to those before it. */
  const likenesses: Likeness[][] = []

  function likeness(i: number, j: number): Likeness {
    return i === j ? 'same' : likenesses[Math.max(i, j)]![Math.min(i, j)]!
  }

  /** The answers from `seed` on that are all so like each other. */
  function groupOf(seed: number, atLeast: 'same' | 'alike'): readonly number[] {
    const group = [seed]
    for (let i = 0; i < ballots.length; i++) {
      if (i === seed) continue
      const fits = group.every((j) => likeness(i, j) === 'same' || (atLeast === 'alike' && likeness(i, j) === 'alike'))
      if (fits) group.push(i)
    }
    return group
  }

  /** Makes the answer of a group: of all that is said in it, what one alone says may be false, and so may be what one leaves out. */
  function responseOf(group: readonly number[]): RpcResponse {
    const responses = group.map((i) => ballots[i]!.response)
    const [first] = responses as [RpcResponse]
    if (group.every((i) => likeness(i, group[0]!) === 'same')) return first
    const values = responses.map(({ result }) => (result as RawJson).value())
    const agreed = agreedValue(values, Math.min(agreement, group.length), rules)
    const best = values.findIndex((value) => likenessOf(value, agreed, rules) === 'same')
    return responses[best] ?? { ...(first.meta && { meta: first.meta }), result: rawJsonFromValue(agreed) }
  }

  return {
    ballots,
    add(ballot) {
      likenesses.push(ballots.map(({ response }) => compare(request, response, ballot.response)))
      ballots.push(ballot)
    },
    largest(atLeast) {
      let largest: readonly number[] = []
      for (let seed = 0; seed < ballots.length; seed++) {
        const group = groupOf(seed, atLeast)
        if (group.length > largest.length) largest = group
      }
      if (largest.length === 0) return undefined
      return {
        ballots: largest.map((i) => ballots[i]!),
        get response() {
          return responseOf(largest)
        },
      }
    },
    agrees: ({ response }, given) => compare(request, given, response) !== 'different',
  }
}
