import { join } from 'node:path'
import { UsageError } from '../command.ts'
import { schemeHint } from '../scheme-hint.ts'

/** Ports beside those of a node on the same machine: 8545 and 8546 are usually its own. */
export const homePorts = { rpc: '8645', admin: '8646' } as const
/** Not the folder of `wayleave dev`, whose state is another. */
export const homeDataDir: string = join('.wayleave', 'serve')

/** Checks the URLs of `--upstream`. @throws UsageError */
export function readUpstreamUrls(texts: readonly string[]): readonly string[] {
  const urls = texts.map((text) => {
    const url = URL.parse(text)
    // The URL is not shown, as its path may be a key.
    if (url === null || !/^(?:http|ws)s?:$/.test(url.protocol) || url.hostname === '') {
      const meant = schemeHint(text) || ', such as http://localhost:8545'
      throw new UsageError(`--upstream: expected an http, https, ws or wss URL${meant}`)
    }
    return url.href
  })
  if (new Set(urls).size < urls.length) throw new UsageError('--upstream: expected each node once, got one twice')
  return urls
}
