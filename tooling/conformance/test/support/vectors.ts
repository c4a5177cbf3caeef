import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
    exchanges.map(({ request, response }) => exchangeOf(id, request, response)),
  )
}

/** The calls of a folder of a checkout of execution-apis, such as `tests/eth_simulateV1`. */
export function exchangesIn(folder: string): Exchange[] {
  return globSync('**/*.io', { cwd: folder })
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n')
      const said = (prefix: string): string[] =>
        lines.flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length).trim()] : []))
      const answers = said('<< ')
      return said('>> ').map((request, i) => exchangeOf(file, request, answers[i]!))
    })
}

function exchangeOf(name: string, request: string, response: string): Exchange {
  const [, method, params] = requestForm.exec(request) ?? []
  const [, outcome] = responseForm.exec(response) ?? []
  if (method === undefined || outcome === undefined) throw new Error(`${name} is not printed as expected`)
  return { name, method, params, outcome }
}
