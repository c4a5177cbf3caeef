import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { StaticFile, StaticFiles } from './static-files.ts'

const asset = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url))
/** A file as `build-page.mjs` makes it, also where this file is run from its source. */
const built = (name: string): string => fileURLToPath(new URL(`../dist/page/${name}`, import.meta.url))
const assets: readonly string[] = ['icon.svg', 'style.css', 'first-paint.js']
const builtModule = /^(?:main|\w+-[0-9A-Z]{8})\.js$/

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * The files of the console, to be served below `/console/`. Nothing is read before it is asked for; then each file is read and compressed once,
 * and kept: about a third of a megabyte in all. There is none where the page was not built.
 */
export const consoleFiles: StaticFiles = createConsoleFiles()

function createConsoleFiles(): StaticFiles {
  const kept = new Map<string, StaticFile>()
  let modules: ReadonlySet<string> | undefined

  return {
    find(path) {
      const found = kept.get(path)
      if (found !== undefined) return found
      modules ??= listModules()
      const isAsset = assets.includes(path)
      if (modules.size === 0 || (path !== '' && !isAsset && !modules.has(path))) return undefined
      const file = readFile(isAsset ? asset(path) : built(path === '' ? 'index.html' : path), !modules.has(path))
      kept.set(path, file)
      return file
    },
  }
}

/** Lists the modules of the page; none where it was not built. */
function listModules(): ReadonlySet<string> {
  if (!existsSync(built('index.html'))) return new Set()
  return new Set(readdirSync(built('')).filter((name) => builtModule.test(name)))
}

/** `isForPeople`: the file is served as it was written, but for the space in it. */
function readFile(place: string, isForPeople: boolean): StaticFile {
  const text = readFileSync(place, 'utf8')
  const body = Buffer.from(isForPeople ? withoutSpace(text) : text)
  return {
    contentType: contentTypes[place.slice(place.lastIndexOf('.') + 1)]!,
    body,
    gzip: gzipSync(body, { level: 9 }),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  }
}

/** Takes out what people alone need: indentation, and comments on lines of their own. */
function withoutSpace(text: string): string {
  return text.replaceAll(/^\s*(?:\/\*[^*]*\*\/|\/\/.*)$/gm, '').replaceAll(/^\s+/gm, '')
}
