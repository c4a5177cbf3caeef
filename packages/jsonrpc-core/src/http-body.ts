import { invalid } from './answer.ts'
import { RpcError } from './error.ts'
import type { HttpReply } from './http-port.ts'
import { portFailure } from './port-failure.ts'

/** Reads a body as text. @throws RpcError `too_large` past `cap` bytes, `invalid_response` where it is not UTF-8. */
export async function collectText(body: HttpReply['body'], cap: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw invalid('the response is not UTF-8')
    }
  }
  let length = 0
  let text = ''
  try {
    for await (const chunk of body) {
      length += chunk.byteLength
      if (length > cap) throw responseTooLarge(cap)
      text += decode(chunk)
    }
  } catch (thrown) {
    throw portFailure(thrown, 'while the response was read')
  }
  return text + decode()
}

export function responseTooLarge(cap: number): RpcError {
  return new RpcError('too_large', `the response is longer than ${cap} bytes`)
}
