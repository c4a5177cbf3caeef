import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** A region that scrolls within itself where its content is wider; only then the keyboard stops at it. */
export function Scroll({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}): JSX.Element {
  const region = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)

  useEffect(() => {
    const element = region.current!
    const observer = new ResizeObserver(() => setOver(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [])

  return isOver ? (
    // A region that scrolls must be reachable to be scrolled by keys.
    <div ref={region} class="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  ) : (
    <div ref={region} class="scroll">
      {children}
    </div>
  )
}
