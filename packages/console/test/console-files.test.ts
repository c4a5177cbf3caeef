import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { consoleFiles, type StaticFile } from '@wayleave/console'
import { describe, expect, it } from 'vitest'
import { textOf } from './support/files.ts'

const page = textOf('')

describe('the files of the console', () => {
  it('have the page under the empty path', () => {
    expect(consoleFiles.find('')?.contentType).toBe('text/html; charset=utf-8')
    expect(page).toMatch(/^<!doctype html>/)
  })

  it('have everything that the page names, and nothing is asked of another host', () => {
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(8)
    for (const path of named) expect(path).toMatch(/^\/console\//)
    expect(named.filter((path) => consoleFiles.find(path.slice('/console/'.length)) === undefined)).toEqual([])
    expect(page).not.toMatch(/https?:\/\//)
  })

  it('have everything that their modules import', () => {
    const missing: string[] = []
    const seen = new Set<string>()
    const { imports } = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(page)![1]!) as {
      readonly imports: Readonly<Record<string, string>>
    }
    const visit = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      if (consoleFiles.find(path) === undefined) return void missing.push(path)
      for (const [, atOnce, later] of textOf(path).matchAll(
        /^import\b[^'"]*?["']([^"']+)["'];?$|\bimport\(["'](\.[^"']+)["']\)/gm,
      )) {
        visit(
          new URL(imports[atOnce!] ?? atOnce ?? later!, `http://host/console/${path}`).pathname.slice(
            '/console/'.length,
          ),
        )
      }
    }
    visit('main.js')
    expect(missing).toEqual([])
    // The pages that are loaded when they are opened are among them.
    for (const name of ['pages/inspector.js', 'pages/try.js', 'lib/uplot.js']) expect(seen).toContain(name)
  })

  it('have one inline script, the import map, whose hash is told', () => {
    const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text!)
    const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    expect(inline).toHaveLength(1)
    expect(consoleFiles.scriptHashes).toEqual(hashes)
  })

  it('have no attribute that the policy refuses', () => {
    expect(page).not.toMatch(/\s(?:style|on\w+)=/)
  })

  it('are compressed, and tagged by their content', () => {
    const tags = new Set<string>()
    for (const path of ['', 'main.js', 'style.css', 'icon.svg', 'lib/preact.js']) {
      const { body, gzip, etag } = consoleFiles.find(path) as StaticFile
      expect(gunzipSync(gzip).equals(body)).toBe(true)
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      tags.add(etag)
    }
    expect(tags.size).toBe(5)
  })

  it('are read once', () => {
    expect(consoleFiles.find('main.js')).toBe(consoleFiles.find('main.js'))
  })

  it.each([
    'nothing.js',
    '../package.json',
    '..%2fpackage.json',
    'pages',
    'pages/',
    'lib',
    '/etc/passwd',
    'style.css/',
    '.tsbuildinfo',
    'main.d.ts',
    'index.html',
    '__proto__',
    'constructor',
  ])('are none for the path %s', (path) => {
    expect(consoleFiles.find(path)).toBeUndefined()
  })

  it('have types that a browser accepts with nosniff', () => {
    const types = ['main.js', 'style.css', 'icon.svg', 'first-paint.js'].map(
      (path) => consoleFiles.find(path)!.contentType,
    )
    expect(types).toEqual([
      'text/javascript; charset=utf-8',
      'text/css; charset=utf-8',
      'image/svg+xml',
      'text/javascript; charset=utf-8',
    ])
  })

  it('are no more than 60 kB for the first page, compressed, with libraries and styles', () => {
    const named = [...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, path]) => path!)
    const all = ['', ...new Set(named)].map((path) => consoleFiles.find(path)!.gzip.length)
    expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000)
  })

  it('make no element of a text', () => {
    const careless = /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/
    const modules = [
      'main.js',
      'pages/inspector.js',
      'pages/ipfs.js',
      'pages/try.js',
      'pages/audit.js',
      'pages/projects.js',
    ]
    expect(modules.filter((path) => careless.test(textOf(path)))).toEqual([])
  })

  it('have each module once, though the first ones come as one', () => {
    expect(textOf('parts/toast.js')).toBe(
      'import { modules } from "../main.js";\nexport const { Toasts, announce, closeToasts, reportFailure } = modules["parts/toast.js"];\n',
    )
    expect(textOf('main.js')).toContain('modules["parts/toast.js"] = (() => {')
  })
})
