/** The values of directives, by the names that they have in a project's settings. `none` undoes a default. */
export const directiveValues = {
  consistency: ['pinned', 'none'],
  marks: ['inline', 'none'],
  skipCache: ['true', 'none'],
} as const

/** The value of `skipCache` in a project whose callers may not skip the cache. */
export const neverSkips = 'never'
