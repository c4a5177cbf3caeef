// What a bundle of our packages costs a web page, against its budget. By hand, `node tooling/check/sizes.mjs` prints the table
// and how long a first import takes in Node; both read the built packages.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const core = '@wayleave/jsonrpc-core'
const evm = '@wayleave/evm-types'
const verify = '@wayleave/evm-verify'
const starknet = '@wayleave/starknet-types'

/**
 * `budget`: most bytes, minified and gzipped. `names`: what is imported from each module. `inOneFile`: without code splitting, so that what
 * is imported on demand counts, too.
 */
const bundles = [
  { what: 'HTTP client', budget: 4_120, names: { [core]: ['createHttpTransport', 'createRpcClient'] } },
  {
    what: 'HTTP and WebSocket client',
    budget: 6_960,
    names: {
      [core]: ['createHttpTransport', 'createRpcClient'],
      [`${core}/websocket`]: ['createWebSocketTransport'],
    },
  },
  // The aim is 3,000; subscriptions, streams and batches of what is streamed take the rest.
  { what: 'server', budget: 3_700, names: { [core]: ['createRpcServer'] } },
  {
    what: 'client of three read methods, checked',
    budget: 8_000,
    names: {
      [core]: ['createHttpTransport', 'createRpcClient'],
      [`${core}/schema`]: ['assertValid'],
      [evm]: ['eth_getTransactionByHash', 'eth_getStorageAt', 'eth_estimateGas'],
    },
  },
  {
    what: 'schema combinators',
    budget: 4_000,
    names: { [`${core}/schema`]: ['assertValid', 'array', 'choice', 'object', 'tuple'] },
  },
  // One file, so that what would load later counts: the words of nodes' errors take 5,000 of it.
  { what: 'createClient', budget: 30_000, names: { '@wayleave/client': ['createClient'] }, inOneFile: true },
  { what: 'transaction verification, with the curve', budget: 24_000, names: { [verify]: ['verifyTransaction'] } },
  { what: 'verification of every answer', budget: 42_950, names: { [verify]: ['verify'] } },
  // The aim is 5,000, which types alone keep (the HTTP client above); what checks v3 transactions and simulations takes the rest.
  {
    what: 'two methods of Starknet, with their checks',
    budget: 5_000,
    names: { [`${starknet}/v0_5`]: ['starknet_estimateFee', 'starknet_simulateTransactions'] },
  },
  {
    what: 'Starknet client of two methods, checked',
    budget: 7_460,
    names: {
      [core]: ['createHttpTransport', 'createRpcClient'],
      [`${core}/schema`]: ['assertValid'],
      [`${starknet}/v0_5`]: ['starknet_estimateFee', 'starknet_simulateTransactions'],
    },
  },
  {
    what: 'Starknet client with hashes and signatures',
    budget: 22_000,
    names: {
      [core]: ['createHttpTransport', 'createRpcClient'],
      [`${starknet}/v0_8`]: ['starknet_estimateFee', 'starknet_simulateTransactions'],
      [`${starknet}/hash`]: ['invokeV3Hash', 'verifySignature'],
    },
  },
  {
    what: 'IPFS client: add, cat, pin',
    budget: 6_260,
    names: { '@wayleave/ipfs-http': ['createIpfsClient'] },
  },
  {
    what: 'gas fee engine',
    budget: 4_000,
    names: { '@wayleave/gas-fees': ['suggestGasFees', 'wayleave', 'feeHistoryFromAnswer'] },
  },
  {
    what: 'the same, blobs, replacements, rollups',
    budget: 6_000,
    names: {
      '@wayleave/gas-fees': [
        'suggestGasFees',
        'wayleave',
        'feeHistoryFromAnswer',
        'suggestBlobFee',
        'blobSchedules',
        'nextBlobBaseFee',
        'nextExcessBlobGas',
        'blobBaseFee',
        'replacementFees',
        'cancellationOf',
        'noncePlaceOf',
        'opL1Fee',
        'fastLzSize',
        'opL1FeeFrom',
        'opOperatorFee',
        'opOperatorFeeFrom',
        'arbitrumFeeFrom',
        'lineaFeeFrom',
        'zkSyncFeeFrom',
      ],
    },
  },
]

/** Bundles for a current browser, as a consumer would: what is loaded at once, without what is only imported on demand. */
async function sizeOf({ names, inOneFile = false }) {
  const imports = Object.entries(names).map(([from, list]) => `import { ${list.join(', ')} } from '${from}'`)
  const contents = `${imports.join('\n')}\nglobalThis.used = [${Object.values(names).flat().join(', ')}]`
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: resolve(root, 'apps/cli') },
    bundle: true,
    splitting: !inOneFile,
    outdir: '/',
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  })
  const outputs = Object.entries(metafile.outputs).map(([name, output]) => ({ name: resolve('/', name), ...output }))
  const atOnce = new Set()
  const visit = (name) => {
    if (atOnce.has(name)) return
    atOnce.add(name)
    const chunk = outputs.find((output) => output.name === name)
    for (const { path, kind } of chunk.imports) if (kind === 'import-statement') visit(resolve('/', path))
  }
  visit(outputs.find(({ entryPoint }) => entryPoint !== undefined && entryPoint.includes('stdin')).name)
  const loaded = outputFiles.filter(({ path }) => atOnce.has(path)).map((file) => file.contents)
  return {
    minified: loaded.reduce((sum, bytes) => sum + bytes.byteLength, 0),
    gzipped: loaded.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).byteLength, 0),
  }
}

/** What the console costs, in bytes as they are sent. */
async function consoleSizes() {
  const { consoleFiles } = await import(pathToFileURL(resolve(root, 'packages/console/dist/index.js')).href)
  const page = new TextDecoder().decode(consoleFiles.find('').body)
  const first = new Set(['', ...[...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, path]) => path)])
  const modules = readdirSync(resolve(root, 'packages/console/dist/page'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    // An earlier build may have left others.
    .filter((name) => consoleFiles.find(name) !== undefined)
  const sizeOfAll = (paths) => {
    const files = [...paths].map((path) => consoleFiles.find(path))
    return {
      minified: files.reduce((sum, { body }) => sum + body.byteLength, 0),
      gzipped: files.reduce((sum, { gzip }) => sum + gzip.byteLength, 0),
    }
  }
  return [
    { what: 'first page of the console', budget: 60_000, ...sizeOfAll(first) },
    { what: 'every page of the console', budget: 90_000, ...sizeOfAll(new Set([...first, ...modules])) },
  ]
}

/** The sizes of all that has a budget. */
async function allSizes() {
  const rows = []
  for (const bundle of bundles) rows.push({ ...bundle, ...(await sizeOf(bundle)) })
  return [...rows, ...(await consoleSizes())]
}

/** The step of `pnpm check`. */
export async function sizes() {
  return (await allSizes()).flatMap(({ what, gzipped, budget }) =>
    gzipped > budget ? [`${what}: ${gzipped} bytes gzipped, at most ${budget} fit`] : [],
  )
}

/** Milliseconds of a first import, in a new process each time: the median of `rounds`. */
function coldImport(file, rounds = 15) {
  const url = pathToFileURL(resolve(root, file)).href
  const script = `const from = performance.now(); await import('${url}'); console.log(performance.now() - from)`
  const times = Array.from({ length: rounds }, () =>
    Number(spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }).stdout),
  )
  return times.toSorted((a, b) => a - b)[rounds >> 1]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`${'bundle'.padEnd(40)} ${'minified'.padStart(9)} ${'gzipped'.padStart(9)} ${'budget'.padStart(9)}`)
  for (const { what, minified, gzipped, budget } of await allSizes()) {
    const row = [minified, gzipped, budget].map((bytes) => String(bytes).padStart(9)).join(' ')
    console.log(`${what.padEnd(40)} ${row}`)
  }
  const file = 'packages/jsonrpc-core/dist/index.js'
  console.log(`first import of ${core}: ${coldImport(file).toFixed(1)} ms (median of 15 processes)`)
}
