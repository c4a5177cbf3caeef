import { type Stage, valueOf } from './fault-case.ts'
import { answerEach, type HostileNode, ordinaryAnswer, type ReceivedCall, type ReceivedPost } from './hostile-node.ts'
import { type HttpSubject, type NamedCall, type OpenOptions, someAddress } from './subject.ts'

/** The call that most cases make. */
export const balance: NamedCall = { method: 'eth_getBalance', params: [someAddress, 'latest'] }

const asks = ({ calls }: ReceivedPost, method: string): boolean => calls.some((call) => call.method === method)

/** Makes the node hostile to one method, and ordinary to other calls that a library makes by itself. */
export function spoil(node: HostileNode, method: string, spoiled: (post: ReceivedPost) => void): void {
  node.onPost = (post) => (asks(post, method) ? spoiled(post) : answerEach(post, ordinaryAnswer))
}

/** Makes only the texts of the answers to one method hostile. */
export function spoilAnswers(node: HostileNode, method: string, textOf: (call: ReceivedCall) => string): void {
  spoil(node, method, (post) =>
    answerEach(post, (call) => (call.method === method ? textOf(call) : ordinaryAnswer(call))),
  )
}

/** Opens a client that has already made a call, and with it the calls that its library makes first by itself. */
export async function openWarm({ subject, node }: Stage, options: OpenOptions = {}, path = ''): Promise<HttpSubject> {
  const { onPost } = node
  node.onPost = (post) => answerEach(post, ordinaryAnswer)
  const client = await subject.openHttp(`${node.httpUrl}${path}`, options)
  await valueOf(client.request({ method: 'eth_blockNumber', params: [] }))
  node.onPost = onPost
  return client
}

export const html = '<!doctype html><title>Please log in</title><p>Your session has ended.'
