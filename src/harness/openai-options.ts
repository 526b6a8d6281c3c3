import type { ProviderSettings } from './provider.ts'

const PUBLIC_URL = 'https://api.openai.com/v1'

/** What a client of either of OpenAI's dialects is built with: what is given here, and nothing that it would look for. */
export function openAiOptions({ baseUrl, apiKey }: ProviderSettings) {
  return {
    baseURL: baseUrl ?? PUBLIC_URL,
    apiKey: apiKey ?? 'none',
    // Said explicitly, because the SDK would read each of these from the environment.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    // A redirect would carry the key to another server.
    fetchOptions: { redirect: 'error' },
  } as const
}
