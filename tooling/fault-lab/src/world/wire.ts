import type { LabNode, Sending } from './node.ts'
import { wordsOf } from './words.ts'

/** Bytes on their way to the gateway, and how they end. */
export interface Reply {
  readonly status: number
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[]
  readonly bytes: Buffer
  /** `whole`, or broken off after these bytes, or ended by nobody. */
  readonly end: 'whole' | 'reset' | 'never'
  /** Time that it takes beyond the usual, in ms. */
  readonly lateMs: number
  readonly sending: Sending | undefined
}

export type Outcome = Reply | 'nothing' | 'reset'

const json: readonly string[] = ['content-type', 'application/json']
const encoder = new TextEncoder()

/** Hands the text of a call to a node; returns what comes back over HTTP. */
export function exchange(node: LabNode, text: string): Outcome {
  const { faults, plan } = node
  if (faults.meets('hang') !== undefined) return 'nothing'
  const limited = faults.meets('rate_limit')
  const { id, method, params = [] } = JSON.parse(text) as { id: number; method: string; params?: readonly unknown[] }
  if (limited !== undefined) return limitedReply(node, limited.variant ?? 0, id)
  const bad = faults.meets('bad_gateway')
  if (bad !== undefined) {
    const status = [502, 503, 504][(bad.variant ?? 0) % 3]!
    return whole(status, ['content-type', 'text/html'], `<html><body><h1>${status}</h1></body></html>`)
  }
  const { answer, sending } = node.serve(method, params)
  if (answer === 'nothing' || answer === 'reset') return answer
  const empty = faults.active('empty')?.variant ?? 0
  if (empty === 2 && faults.meets('empty') !== undefined) return whole(200, json, '', sending)
  if (empty === 3 && faults.meets('empty') !== undefined) return whole(200, json, '{}', sending)
  return spoilt(node, {
    ...whole(200, json, JSON.stringify({ jsonrpc: '2.0', id, ...answer }), sending),
    lateMs: lateMs(node),
  })

  function limitedReply(of: LabNode, variant: number, call: number): Reply {
    const body = JSON.stringify({ jsonrpc: '2.0', id: call, error: wordsOf(plan.client).rateLimited() })
    if (variant === 2) return { ...whole(200, json, body), lateMs: lateMs(of) }
    if (variant === 3) return whole(429, json, body)
    return whole(
      429,
      variant === 1 ? ['content-type', 'text/plain', 'retry-after', '1'] : ['content-type', 'text/plain'],
      'slow down',
    )
  }
}

function whole(status: number, headers: readonly string[], text: string, sending?: Sending): Reply {
  return { status, headers, bytes: Buffer.from(encoder.encode(text)), end: 'whole', lateMs: 0, sending }
}

const lateMs = ({ faults }: LabNode): number => faults.meets('late')?.amount ?? 0

/** The reply as the faults of bytes have it. */
export function spoilt({ faults }: LabNode, reply: Reply): Reply {
  const { bytes } = reply
  const half = bytes.subarray(0, Math.floor(bytes.length * (0.1 + 0.8 * faults.random())))
  const truncated = faults.meets('truncate')
  if (truncated !== undefined) return { ...reply, bytes: half, end: truncated.variant === 1 ? 'whole' : 'reset' }
  if (faults.meets('stall_mid_body') !== undefined) return { ...reply, bytes: half, end: 'never' }
  if (faults.meets('garble') === undefined) return reply
  const garbled = Buffer.from(bytes)
  // Bytes that no JSON can hold: others could make it a lie.
  for (let i = 0; i < 3; i++) garbled[Math.floor(faults.random() * garbled.length)] = i === 0 ? 0x00 : 0xff
  return { ...reply, bytes: garbled }
}
