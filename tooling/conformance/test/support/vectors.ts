import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** One recorded call: raw texts, as they were sent and answered. */
export interface Exchange {
  /** The case that it belongs to. */
  readonly name: string
  readonly method: string
  /** The raw params; undefined where the recording has none. */
  readonly params: string | undefined
  /** What follows the id in the answer: `"result":…` or `"error":…`. */
  readonly outcome: string
}

interface VectorFile {
  readonly cases: readonly {
    readonly id: string
    readonly exchanges: readonly { readonly request: string; readonly response: string }[]
  }[]
}

const requestForm = /^\{"jsonrpc":"2\.0","id":\d+,"method":"(\w+)"(?:,"params":(.*))?\}$/s
const responseForm = /^\{"jsonrpc":"2\.0","id":\d+,(.*)\}$/s

/** The calls of a file of `test/vectors`, cut and never parsed. */
export function exchangesOf(file: string): Exchange[] {
  const packed = readFileSync(new URL(`../vectors/${file}`, import.meta.url))
  const { cases } = JSON.parse(gunzipSync(packed).toString()) as VectorFile
  return cases.flatMap(({ id, exchanges }) =>
    exchanges.map(({ request, response }) => {
      const [, method, params] = requestForm.exec(request) ?? []
      const [, outcome] = responseForm.exec(response) ?? []
      if (method === undefined || outcome === undefined) throw new Error(`${id} is not printed as expected`)
      return { name: id, method, params, outcome }
    }),
  )
}
