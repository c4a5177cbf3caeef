import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/**
 * Puts the figures of pages into their HTML, so that they take the colours of the page, light or dark. The text that stands for a figure becomes its
 * label; the style of the file itself, for whoever looks at it alone, is left out. A picture `…-light.png` has one beside it for the dark.
 */
export function inlineFigures(md: MarkdownRenderer, pages: string): void {
  const usual = md.renderer.rules.image!
  md.renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]!
    const source = token.attrGet('src') ?? ''
    const alt = md.utils.escapeHtml(token.content)
    if (source.endsWith('-light.png')) {
      const dark = source.replace('-light.png', '-dark.png')
      const picture = (src: string, look: string): string =>
        `<img src="${src}" alt="${alt}" class="picture in-${look}">`
      return picture(source, 'light') + picture(dark, 'dark')
    }
    if (!/^\.{1,2}\/[\w./-]+\.svg$/.test(source) || source.endsWith('/backtest.svg')) {
      return usual(tokens, index, options, env, self)
    }
    const folder = dirname((env as { readonly relativePath: string }).relativePath)
    const svg = readFileSync(join(pages, folder, source), 'utf8')
    return svg
      .replace(/<\?xml[^>]*>\s*/, '')
      .replaceAll(/<style>[^]*?<\/style>|<title>[^]*?<\/title>|<!--[^]*?-->/g, '')
      .replace('<svg ', `<svg class="figure" role="img" aria-label="${alt}" `)
      .replaceAll(/\n\s*/g, '\n')
      .trim()
  }
}
