import { type AccountPort, createAdminApi, type OpenApiDocument } from '@wayleave/admin-api'

/** Returns the document of the operator's API. No store is asked for it. */
export function readOpenApi(): OpenApiDocument {
  const accounts = {} as AccountPort
  return createAdminApi({ accounts, usage: { query: async () => [] }, tokens: [] }).document
}
