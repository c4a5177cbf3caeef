// Builds the modules of the page, one for each file: esbuild reads the settings of src/page/tsconfig.json, and checks no types.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Names modules by what they are built to, as browsers resolve no `.ts`. */
const builtNames = {
  name: 'built-names',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(/((?:from|import\()\s*'\.[^']*)\.tsx?'/g, "$1.js'"),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}

await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  entryPoints: ['src/page/**/*.ts', 'src/page/**/*.tsx'],
  outdir: 'dist/page',
  format: 'esm',
  target: 'es2023',
  // Without a note on each element that it may be left out.
  jsxSideEffects: true,
  charset: 'utf8',
  plugins: [builtNames],
  logLevel: 'warning',
})
