import type { JSX } from 'preact'
import { Text } from '../parts/text.tsx'
import { page } from '../router.ts'

/** The page of a name that no page has. */
export function NotFoundPage(): JSX.Element {
  return (
    <div class="empty">
      <h1 class="empty-title">
        There is no page “<Text of={readable(page.value)} />”
      </h1>
      <p class="empty-text">
        <a href="/console/">Go to the overview</a>
      </p>
    </div>
  )
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
