import type { ByteStream } from '../backend.ts'
import { linesOf } from '../client/lines.ts'
import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'
import { createKuboHttp, type KuboCall, type KuboHttp } from './kubo-http.ts'

/** Kubo's RPC as answers of JSON and streams of bytes. */
export interface KuboRpc extends Pick<KuboHttp, 'post' | 'close'> {
  lines(call: KuboCall): AsyncGenerator<Record<string, unknown>>
  /** The last line of an answer. Rejects with `truncated` where it lacks `member`: an error in the trailer may have got lost on the way. */
  answer(call: KuboCall, member: string): Promise<Record<string, unknown>>
  /** Resolves with the bytes once the first of them, or their end, is here. */
  stream(call: KuboCall): Promise<ByteStream>
}

/** @throws IpfsError `bad_argument` for what is no URL of an RPC */
export function createKuboRpc(url: string, clock: Clock): KuboRpc {
  const { post, redact, close } = createKuboHttp(url, clock)

  async function* lines(call: KuboCall): AsyncGenerator<Record<string, unknown>> {
    yield* linesOf((await post(call)).bytes, redact)
  }

  return {
    post,
    close,
    lines,
    async answer(call, member) {
      let last: Record<string, unknown> | undefined
      for await (const line of lines(call)) last = line
      if (last === undefined) throw new IpfsError('invalid_response', `the IPFS node gave no answer to ${call.command}`)
      if (!(member in last))
        throw new IpfsError('invalid_response', `the IPFS node left out the end of ${call.command}`)
      return last
    },
    stream: async (call) => (await post(call)).bytes,
  }
}
