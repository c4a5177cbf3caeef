import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = import.meta.dirname
const cache = join(root, 'node_modules/.cache/wayleave-bundles')
/** Older bundles than this are removed, in ms. A run beside this one may still use a younger one. */
const longestLifeMs = 3_600_000

/** The programs of the repository as bundles of its sources, which start in less than half of the time: a start loads some 1,300 modules. */
export interface Bundles {
  /** The script of the command. */
  readonly cli: string
  /** The script of the proxy. */
  readonly proxy: string
  /** A folder for a PATH, with a program `wayleave`. */
  readonly bin: string
  /** A gateway whose configuration is its first argument. */
  readonly gatewayProcess: string
  /** A process that counts usage until it is killed. */
  readonly usageLife: string
}

/** Bundles the programs, if the sources have changed since the last time. */
export async function bundlePrograms(): Promise<Bundles> {
  const folder = join(cache, stateOfSources())
  if (!existsSync(folder)) await write(folder)
  // The time of its last use: a run beside this one removes those that have not been used for an hour.
  utimesSync(folder, new Date(), new Date())
  return {
    cli: join(folder, 'apps/cli/src/main.js'),
    proxy: join(folder, 'apps/proxy/src/main.js'),
    bin: join(folder, 'bin'),
    gatewayProcess: join(folder, 'tooling/conformance/two-nodes/gateway-process.js'),
    usageLife: join(folder, 'tooling/conformance/crash-seeds/life.js'),
  }
}

/** A hash over names, lengths and times of all sources. */
function stateOfSources(): string {
  const files = [
    'pnpm-lock.yaml',
    'vitest.bundle.ts',
    ...globSync('{{packages,apps}/*/{package.json,src/**/*.ts},tooling/conformance/{two-nodes,crash-seeds}/*.ts}', {
      cwd: root,
    }),
  ]
  // A copy of the checkout has the same files at another place.
  const hash = createHash('sha256').update(root)
  for (const file of files.toSorted()) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function write(folder: string): Promise<void> {
  const outdir = `${folder}.${process.pid}`
  await build({
    absWorkingDir: root,
    // Processes and threads that a program starts are programs of their own.
    entryPoints: [
      'apps/cli/src/main.ts',
      'apps/proxy/src/main.ts',
      'tooling/conformance/two-nodes/gateway-process.ts',
      'tooling/conformance/crash-seeds/life.ts',
      ...globSync('packages/*/src/**/{worker-main,check-worker}.ts', { cwd: root }),
    ],
    outbase: root,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    conditions: ['@wayleave/source'],
    logLevel: 'error',
    plugins: [leaveDependencies, keepUrls(folder)],
  })
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}')
  mkdirSync(join(outdir, 'bin'))
  writeFileSync(join(outdir, 'bin/wayleave'), "#!/usr/bin/env node\nimport '../apps/cli/src/main.js'\n", {
    mode: 0o755,
  })
  try {
    renameSync(outdir, folder)
  } catch (thrown) {
    // Another process was first.
    rmSync(outdir, { recursive: true })
    if (!existsSync(folder)) throw thrown
  }
  for (const name of readdirSync(cache)) {
    const usedAt = statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - usedAt > longestLifeMs) rmSync(join(cache, name), { recursive: true, force: true })
  }
}

/** Leaves packages of others as they are installed, at their place: some of them break in a bundle. */
const leaveDependencies: Plugin = {
  name: 'leave-dependencies',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'asked' || path.startsWith('@wayleave/') || from.kind === 'entry-point') return undefined
      const found = await resolve(path, { ...from, pluginData: 'asked' })
      return found.external ? undefined : { ...found, external: true }
    })
  },
}

/** Has a module read the files beside its source, and start the programs beside its bundle. */
const keepUrls = (folder: string): Plugin => ({
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:packages|apps)\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      if (!/import\.meta\.(?:url|resolve)/.test(code)) return undefined
      const startsPrograms = code.includes("import.meta.url.endsWith('.ts')")
      const place = startsPrograms ? path.replace(root, folder).replace(/\.ts$/, '.js') : path
      const url = JSON.stringify(pathToFileURL(place).href)
      const contents = code
        .replaceAll('import.meta.url', url)
        .replaceAll('import.meta.resolve(', `((name: string) => urlOf(requireFrom(${url}).resolve(name)).href)(`)
      const imports = `import { createRequire as requireFrom } from 'node:module'; import { pathToFileURL as urlOf } from 'node:url';`
      return { loader: 'ts', contents: imports + contents }
    })
  },
})
