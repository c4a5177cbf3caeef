import { type Theme as Definition, useData, withBase } from 'vitepress'
import Default from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import './style.css'

const repository = 'https://github.com/wayleave/wayleave/blob/main/'

/** Where the words of a page come from, and the page as Markdown. */
const Origin = defineComponent(() => {
  const { page, frontmatter } = useData()
  return () => {
    const { source, kind } = frontmatter.value as { readonly source?: string; readonly kind?: string }
    if (source === undefined) return undefined
    const made = kind === 'generated' ? 'Made from the code: ' : 'From '
    // With a target, so that the router leaves it to the browser.
    const markdown = h('a', { href: withBase(`/${page.value.relativePath}`), target: '_self' }, 'This page as Markdown')
    return h('p', { class: 'origin' }, [markdown, h('span', [made, h('a', { href: repository + source }, source)])])
  }
})

export default {
  extends: Default,
  Layout: () => h(Default.Layout, null, { 'doc-footer-before': () => h(Origin) }),
} satisfies Definition
