import { isDiskFull } from '../disk-error.ts'
import { IpfsError } from '../error.ts'
import type { IpfsAnswer } from './api.ts'

/** An error that carries the answer to send: the command goes no further. */
export class Refusal extends Error {
  readonly answer: IpfsAnswer

  constructor(answer: IpfsAnswer) {
    super(typeof answer.body === 'string' ? answer.body.trim() : 'refused')
    this.answer = answer
  }
}

const text = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' }

/** A refusal in plain text: in Kubo's words about HTTP or an argument, in Infura's about a project. */
export function refusal(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return new Refusal({ status, headers: { ...text, ...headers }, body })
}

/** 403: a monthly transfer or the storage of the project is used up. */
export function quotaReached(): Refusal {
  return refusal(403, 'not allowed - transfer quota reached')
}

/** A refusal in the form of Kubo's errors. */
export function refusedAs(status: number, message: string): Refusal {
  return new Refusal(errorAnswer(status, message))
}

function errorAnswer(status: number, message: string): IpfsAnswer {
  const headers = { 'Content-Type': 'application/json', ...(status === 503 && { 'Retry-After': '2' }) }
  return { status, headers, body: `${JSON.stringify({ Message: message, Code: 0, Type: 'error' })}\n` }
}

/** The answer for an error that a command threw. Source: go-ipfs-cmds `http/responseemitter.go`. */
export function answerOf(thrown: unknown): IpfsAnswer {
  if (thrown instanceof Refusal) return thrown.answer
  const isForNow = isDiskFull(thrown) || (thrown instanceof IpfsError && thrown.code === 'unavailable')
  return errorAnswer(isForNow ? 503 : 500, messageOf(thrown))
}

/** The message that a caller may read. Errors from outside this package may hold anything, so it reads nothing of them. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Refusal || thrown instanceof IpfsError) return thrown.message
  return 'internal error'
}
