import type { Kind, Target } from '../questions.ts'

/** One answer as a client's user has it. */
export type Answer =
  | { readonly value: unknown }
  | { readonly code?: number; readonly message: string; readonly data?: unknown; readonly status?: number }

/** A library, opened as its documentation says for a chain whose id is known. */
export interface TableClient extends AsyncDisposable {
  readonly name: string
  readonly kinds: readonly Kind[]
  /** How often the library itself sends a transaction at most, if it fails. */
  readonly sends: number
  /**
   * Asks a question, and resolves with its answers: one, or for a batch three, about balance, nonce and code. Rejects only where the
   * library itself breaks.
   */
  ask(kind: Kind, target: Target): Promise<readonly Answer[]>
}

/** Settles a call of a library whose errors {@link toldBy} can read. */
export async function answerOf(call: Promise<unknown>): Promise<Answer> {
  try {
    return { value: await call }
  } catch (thrown) {
    return reportedBy(thrown)
  }
}

/** Finds the JSON-RPC error in an error of viem or ethers: in itself, its causes, or the body of a refused request. */
function reportedBy(thrown: unknown): Answer {
  const seen = new Set<unknown>()
  const left: unknown[] = [thrown]
  let status: number | undefined
  while (left.length > 0) {
    const each = left.shift()
    if (typeof each !== 'object' || each === null || seen.has(each)) continue
    seen.add(each)
    const { code, message, details, data, cause, error, info, responseBody, responseStatus } = each as Record<
      string,
      unknown
    >
    if (typeof responseStatus === 'string') status = Number.parseInt(responseStatus, 10)
    const text = typeof details === 'string' ? details : message
    // viem repeats the code in classes of its own, whose message is another: the innermost one has the node's.
    if (typeof code === 'number' && typeof text === 'string' && cause === undefined) {
      return { code, message: text, ...(data !== undefined && { data }), ...(status !== undefined && { status }) }
    }
    left.push(cause, error, info, parsed(responseBody))
  }
  return { message: String(thrown) }
}

function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
