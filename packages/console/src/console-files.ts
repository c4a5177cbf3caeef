import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { importMap, type Library, libraries } from './libraries.ts'
import { joinModules } from './join-modules.ts'
import { printPage } from './print-page.ts'
import type { StaticFile, StaticFiles } from './static-files.ts'

const assets = fileURLToPath(new URL('../assets/', import.meta.url))
/** The modules of the page as the compiler emits them, also where this file is run from its source. */
const modules = fileURLToPath(new URL('../dist/page/', import.meta.url))
/** The module that the page begins with. */
const entry = 'main.js'

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * The files of the console, to be served below `/console/`. Nothing is read before it is asked for; then each file is read and compressed once,
 * and kept: about half a megabyte in all.
 */
export const consoleFiles: StaticFiles = createConsoleFiles()

function createConsoleFiles(): StaticFiles {
  const kept = new Map<string, StaticFile>()
  let readers: ReadonlyMap<string, () => string> | undefined

  return {
    find(path) {
      const found = kept.get(path)
      if (found !== undefined) return found
      readers ??= listReaders()
      const read = readers.get(path)
      if (read === undefined) return undefined
      const file = fileOf(path === '' ? 'html' : path.slice(path.lastIndexOf('.') + 1), read())
      kept.set(path, file)
      return file
    },
    get scriptHashes() {
      return [`'sha256-${createHash('sha256').update(importMap).digest('base64')}'`]
    },
  }
}

/** Lists all files there are, each with the function that reads it. Empty where the page was not built. */
function listReaders(): ReadonlyMap<string, () => string> {
  if (!existsSync(join(modules, entry))) return new Map()
  const readModule = (name: string): string => readFileSync(join(modules, name), 'utf8')
  const names = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.js'))
  const { text, stubs } = joinModules(entry, readModule)
  return new Map<string, () => string>([
    ['', printPage],
    ...['icon.svg', 'style.css', 'first-paint.js'].map(
      (name) => [name, () => withoutSpace(readFileSync(join(assets, name), 'utf8'))] as const,
    ),
    ...libraries.map((library) => [library.path, () => readLibrary(library)] as const),
    ...names.map((name) => [name, () => stubs.get(name) ?? readModule(name)] as const),
    [entry, () => text],
  ])
}

const { resolve } = createRequire(import.meta.url)

function readLibrary({ name, file, after = '' }: Library): string {
  // The entry for `require` lies beside the file that browsers read.
  return (
    readFileSync(join(dirname(resolve(name)), file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n') + after
  )
}

function fileOf(kind: string, text: string): StaticFile {
  const body = Buffer.from(text)
  return {
    contentType: contentTypes[kind]!,
    body,
    gzip: gzipSync(body, { level: 9 }),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  }
}

/** Takes out what people alone need: indentation, and comments on lines of their own. */
function withoutSpace(text: string): string {
  return text.replaceAll(/^\s*(?:\/\*[^*]*\*\/|\/\/.*)$/gm, '').replaceAll(/^\s+/gm, '')
}
