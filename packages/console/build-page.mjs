// Bundles the page: `main.js` for the first one, `later.js` for all others, and `chunk.js` for what both import. esbuild reads the settings
// of src/page/tsconfig.json, and checks no types.
import { readFile, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/page/main.tsx'],
  outdir: 'dist/page',
  bundle: true,
  splitting: true,
  minify: true,
  chunkNames: '[name]',
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
await writeFile(new URL('dist/page/licences.txt', import.meta.url), (await Promise.all(licences)).join('\n\n'))
