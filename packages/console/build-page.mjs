// Bundles the page: `main.js` for the first one, `later` for all others, and `chunk` for what both import. Their names have a hash, so that an
// open page never joins modules of two builds. esbuild reads the settings of src/page/tsconfig.json, and checks no types.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

const outdir = new URL('dist/page/', import.meta.url)

const { metafile } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/page/main.tsx'],
  outdir: 'dist/page',
  bundle: true,
  splitting: true,
  minify: true,
  chunkNames: '[name]-[hash]',
  metafile: true,
  format: 'esm',
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
})

const licences = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'].map(async (name) => {
  const text = await readFile(new URL(`node_modules/${name}/LICENSE`, import.meta.url), 'utf8')
  return `${name}\n\n${text}`
})
await writeFile(new URL('licences.txt', outdir), (await Promise.all(licences)).join('\n\n'))

const atOnce = metafile.outputs['dist/page/main.js'].imports.filter(({ kind }) => kind === 'import-statement')
const preloads = atOnce.map(({ path }) => `<link rel="modulepreload" href="/console/${path.split('/').at(-1)}" />`)
const page = await readFile(new URL('assets/index.html', import.meta.url), 'utf8')
await writeFile(new URL('index.html', outdir), page.replace('<!-- preloads -->', preloads.join('')))

// Modules of an earlier build go last: a gateway may serve the page meanwhile.
for (const name of await readdir(outdir)) {
  if (name.endsWith('.js') && metafile.outputs[`dist/page/${name}`] === undefined)
    await rm(new URL(name, outdir), { force: true })
}
