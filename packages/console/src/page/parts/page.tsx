import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'

/** The head of a page: its title, what it is about, and what can be done there. */
export function PageHead(props: {
  readonly title: string
  readonly about?: ComponentChildren
  readonly children?: ComponentChildren
}): JSX.Element {
  const { title, about, children } = props
  useEffect(() => {
    document.title = `${title} · Wayleave console`
  }, [title])
  return (
    <header class="page-head">
      <div class="page-title">
        <h1>{title}</h1>
        {about !== undefined && <p class="about">{about}</p>}
      </div>
      {Boolean(children) && <div class="page-actions">{children}</div>}
    </header>
  )
}

/** A part of a page with a title of its own. */
export function Panel(props: {
  readonly title: ComponentChildren
  readonly about?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  readonly isFlush?: boolean
  /** Whether it holds a form, which stands beside its title where there is room. */
  readonly isForm?: boolean
}): JSX.Element {
  const { title, about, actions, children, isFlush = false, isForm = false } = props
  return (
    <section class={`panel ${isFlush ? 'flush' : ''} ${isForm ? 'with-form' : ''}`}>
      <header class="panel-head">
        <h2>{title}</h2>
        {about !== undefined && <p class="about">{about}</p>}
        {Boolean(actions) && <div class="panel-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
