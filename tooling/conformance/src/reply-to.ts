/** Replies to the text of a request as a node does: to a call with its reply, to a batch with an array of the replies to its calls. */
export async function replyTo<Call>(text: string, reply: (call: Call) => string | Promise<string>): Promise<string> {
  const body = JSON.parse(text) as Call | readonly Call[]
  if (!isBatch(body)) return reply(body)
  return `[${(await Promise.all(body.map(reply))).join(',')}]`
}

const isBatch = <Call>(body: Call | readonly Call[]): body is readonly Call[] => Array.isArray(body)
