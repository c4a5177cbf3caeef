// `node --conditions=@wayleave/source as-in-a-browser.ts <url>`: adds and reads a directory where neither Node's modules nor
// its globals are, and prints how far each was verified.
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    // Of the libraries, bundlers take the files for browsers.
    const isOurs = context.parentURL?.includes('/ipfs-http/src/')
    if (isOurs && found.url.startsWith('node:')) throw new Error(`${context.parentURL} imports ${specifier}`)
    return found
  },
})
const [url] = process.argv.slice(2)
const globals = globalThis as Record<string, unknown>
for (const name of ['Buffer', 'process', 'setImmediate', 'clearImmediate', 'global']) {
  const value = globals[name]
  // The `fetch` of Node needs them.
  const isOurs = (): boolean => new Error('who asks?').stack!.split('\n')[3]!.includes('/ipfs-http/src/')
  Object.defineProperty(globalThis, name, { get: () => (isOurs() ? undefined : value) })
}

const { createIpfsClient } = await import('@wayleave/ipfs-http')
const client = createIpfsClient({ url: url!, uploads: 'buffer' })
const verified: string[] = []
const files = [
  { path: 'd/é', content: new Blob(['x'.repeat(600_000)]) },
  { path: 'd/e/f', content: 'text' },
]
let root = ''
for (const chunker of ['size-262144', 'rabin', 'buzhash']) {
  for await (const { cid, verification } of client.addAll(files, { chunker })) {
    verified.push(verification)
    if (chunker === 'size-262144') root = cid
  }
}
for await (const { content, verification } of client.get(root)) {
  for await (const chunk of content) void chunk
  verified.push(verification)
}
const name = 'long'.repeat(250)
const sharded = Array.from({ length: 300 }, (_, at) => ({ path: `s/${name}${at}`, content: `${at}` }))
for await (const { cid, verification } of client.addAll(sharded, { verify: 'proven' })) {
  verified.push(verification)
  root = cid
}
const read = client.cat(`${root}/${name}271`)
if (new TextDecoder().decode(await read.bytes()) !== '271') throw new Error('expected what was added')
verified.push(await read.verification)
console.log([...new Set(verified)].join())
