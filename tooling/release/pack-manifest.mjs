// `prepack` and `postpack` of every published package. pnpm packs manifests with real versions; npm packs them as they stand, and
// would publish `workspace:^`. So the manifest is rewritten while npm packs, and `--restore` puts it back.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { withoutSources } = createRequire(import.meta.url)('../../.pnpmfile.cjs')

const folder = process.cwd()
const manifestFile = join(folder, 'package.json')
/** The manifest as it was; a folder of dependencies is never packed. */
const kept = join(folder, 'node_modules', '.wayleave-manifest.json')
const workspace = 'workspace:'

/** The version of a package of this repository, by its link in `node_modules`. */
function versionOf(name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** Writes a file as a whole: whoever packs another package meanwhile reads it for its version. */
function writeWhole(file, text) {
  const part = `${kept}.part`
  writeFileSync(part, text)
  renameSync(part, file)
}

/** Gives a range of this workspace its version: `workspace:^` becomes `^0.1.0`. */
function published([name, range]) {
  return [name, range.startsWith(workspace) ? `${range.slice(workspace.length)}${versionOf(name)}` : range]
}

function rewrite() {
  const text = readFileSync(manifestFile, 'utf8')
  const { scripts = {}, ...manifest } = JSON.parse(text)
  const { prepack: _prepack, postpack: _postpack, prepublishOnly: _publish, ...otherScripts } = scripts
  manifest.scripts = otherScripts
  for (const field of ['dependencies', 'devDependencies', 'optionalDependencies'])
    if (manifest[field] !== undefined)
      manifest[field] = Object.fromEntries(Object.entries(manifest[field]).map(published))
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  writeWhole(kept, text)
  writeWhole(manifestFile, `${JSON.stringify(withoutSources(manifest), undefined, 2)}\n`)
}

if (!existsSync(join(folder, 'dist'))) {
  console.error('there is no dist to pack: run `npm run build` at the root')
  process.exit(1)
}
const isPnpm = process.env.npm_config_user_agent?.startsWith('pnpm/') === true
// An earlier attempt may have ended half way.
if (existsSync(kept)) renameSync(kept, manifestFile)
if (!isPnpm && process.argv[2] !== '--restore') rewrite()
